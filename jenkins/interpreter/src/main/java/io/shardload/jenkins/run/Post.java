package io.shardload.jenkins.run;

import groovy.lang.Closure;
import io.shardload.jenkins.build.Build;
import io.shardload.jenkins.build.BuildRecord;
import io.shardload.jenkins.build.Result;
import io.shardload.jenkins.grammar.Catalogue;
import io.shardload.jenkins.script.Model;
import io.shardload.jenkins.script.Script;
import java.util.List;

/**
 * Runs the post conditions of a stage or of the pipeline, as {@code
 * ModelInterpreter.runPostConditions} with the conditions of {@code model.conditions}.
 */
final class Post {
  private final Build build;
  private final Script script;

  Post(Build build, Script script) {
    this.build = build;
    this.script = script;
  }

  /**
   * Runs each condition that holds, in the order of the conditions; each is evaluated after the
   * previous one has run, so that its changes count.
   *
   * @param stage the stage, or null for the pipeline
   * @return the error before, or else the first error of a condition, or null
   */
  Throwable run(Model model, Throwable before, String stage) {
    Throwable error = before;
    for (String condition : Catalogue.POST) {
      Closure<?> steps = model.post.get(condition);
      Result combined = combined(error, stage);
      if (steps == null || !holds(condition, combined, error)) {
        continue;
      }
      Throwable failed = execute(condition, steps, combined, stage);
      error = error == null ? failed : error;
    }
    return error;
  }

  private Throwable execute(String condition, Closure<?> steps, Result combined, String stage) {
    BuildRecord.PostEntry entry = new BuildRecord.PostEntry(condition, stage);
    build.record().post.add(entry);
    List<BuildRecord.StepEntry> stepsBefore = build.record().enter(entry.steps);
    Result original = build.resultSet();
    // Within the condition the build has the result that it would end with.
    build.replaceResult(combined);
    try {
      script.execute(steps);
      return null;
    } catch (RuntimeException | AssertionError | StackOverflowError e) {
      build.console().print("Error when executing " + condition + " post condition:");
      build.console().print(Interpreter.message(e));
      return e;
    } finally {
      if (build.result() == combined && combined != original) {
        build.replaceResult(original);
      }
      build.record().enter(stepsBefore);
    }
  }

  /** As {@code BuildCondition.getCombinedResult}. */
  private Result combined(Throwable error, String stage) {
    Result own = stage == null ? Result.SUCCESS : build.stageWarning();
    if (error != null) {
      own = Stages.result(error);
    }
    return build.result().worse(own);
  }

  private boolean holds(String condition, Result combined, Throwable error) {
    Result previous = build.setup().previous();
    Result ofRun = build.result().worse(error == null ? Result.SUCCESS : Stages.result(error));
    return switch (condition) {
      case "always", "cleanup" -> true;
      case "changed" -> previous == null || ofRun != previous;
      case "fixed" ->
          ofRun == Result.SUCCESS && (previous == Result.FAILURE || previous == Result.UNSTABLE);
      case "regression" -> previous != null && ofRun.compareTo(previous) > 0;
      case "aborted" -> combined == Result.ABORTED;
      case "success" -> combined == Result.SUCCESS;
      case "unsuccessful" -> combined != Result.SUCCESS;
      case "unstable" -> combined == Result.UNSTABLE;
      case "failure" -> combined == Result.FAILURE;
      case "notBuilt" -> combined == Result.NOT_BUILT;
      default -> throw new IllegalArgumentException(condition);
    };
  }
}
