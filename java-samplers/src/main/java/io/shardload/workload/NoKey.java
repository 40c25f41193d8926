package io.shardload.workload;

/**
 * The call of a transaction that found no live key: it sends nothing and its outcome is missing.
 */
public record NoKey<P>() implements Call<P> {
  @Override
  public void run(P port, Phases phases) {}

  @Override
  public Outcome finish(CallFailure failure, boolean unknownBefore) {
    return Outcome.MISSING;
  }

  @Override
  public void abandon() {}

  @Override
  public boolean asks() {
    return false;
  }
}
