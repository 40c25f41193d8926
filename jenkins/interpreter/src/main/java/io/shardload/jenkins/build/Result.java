package io.shardload.jenkins.build;

/** The result of a build or of a stage, from best to worst, as {@code hudson.model.Result}. */
public enum Result {
  SUCCESS,
  UNSTABLE,
  FAILURE,
  NOT_BUILT,
  ABORTED;

  public Result worse(Result other) {
    return other.compareTo(this) > 0 ? other : this;
  }
}
