package io.shardload.jenkins.run;

import io.shardload.jenkins.build.Build;
import io.shardload.jenkins.build.BuildRecord;
import io.shardload.jenkins.build.Interruption;
import io.shardload.jenkins.build.Result;
import io.shardload.jenkins.script.Model;
import io.shardload.jenkins.script.Script;
import java.util.List;
import java.util.Map;

/** Runs stages one after another, as {@code ModelInterpreter.evaluateSequentialStages}. */
final class Stages {
  private final Build build;
  private final Script script;
  private final Wrapping wrapping;
  private final Post post;

  Stages(Build build, Script script, Wrapping wrapping) {
    this.build = build;
    this.script = script;
    this.wrapping = wrapping;
    post = new Post(build, script);
  }

  /**
   * Runs stages; those after a failed one do not run.
   *
   * @param skipped the status of stages that do not run because of their parent, or null
   * @return the first error, or null
   */
  Throwable run(List<Model> stages, Throwable error, String parent, String skipped) {
    Throwable first = error;
    for (Model stage : stages) {
      Throwable failed = stage(stage, first, parent, skipped);
      first = first == null ? failed : first;
    }
    return first;
  }

  private Throwable stage(Model stage, Throwable error, String parent, String skipped) {
    BuildRecord.StageEntry entry = new BuildRecord.StageEntry(stage.name, parent);
    build.record().stages.add(entry);
    if (skipped != null || error != null) {
      return skip(stage, entry, skipped == null ? "NOT_RUN" : skipped);
    }
    build.console().print("[Pipeline] stage (" + stage.name + ")");
    List<BuildRecord.StepEntry> stepsBefore = build.record().enter(entry.steps);
    Result warningBefore = build.stageWarning();
    build.stageWarning(Result.SUCCESS);
    build.variables().push(Map.of("STAGE_NAME", stage.name));
    Throwable failed = null;
    try {
      evaluate(stage, entry);
    } catch (RuntimeException | AssertionError | StackOverflowError e) {
      failed = e;
      build.console().print("ERROR in stage " + stage.name + ": " + Interpreter.message(e));
    } finally {
      build.variables().pop();
      build.record().enter(stepsBefore);
    }
    if (!entry.status.equals("SKIPPED")) {
      Result result = failed == null ? build.stageWarning() : result(failed);
      entry.status = result.toString();
    }
    build.stageWarning(warningBefore.worse(build.stageWarning()));
    return failed;
  }

  private Throwable skip(Model stage, BuildRecord.StageEntry entry, String status) {
    entry.status = status;
    String reason =
        status.equals("SKIPPED") ? "due to when conditional" : "due to earlier failure(s)";
    build.console().print("Stage \"" + stage.name + "\" skipped " + reason);
    run(stage.stages, null, stage.name, status);
    return null;
  }

  private void evaluate(Model stage, BuildRecord.StageEntry entry) {
    When when = new When(script, build);
    boolean early = stage.when != null && when.beforeOptions(stage.when);
    if (early && !when.holds(stage.when)) {
      skip(stage, entry, "SKIPPED");
      return;
    }
    wrapping.options(
        stage,
        () -> {
          if (stage.when != null && !early && !when.holds(stage.when)) {
            skip(stage, entry, "SKIPPED");
          } else {
            wrapping.environment(stage, () -> inside(stage));
          }
        });
  }

  private void inside(Model stage) {
    Throwable error;
    if (stage.stages.isEmpty()) {
      error = steps(stage);
    } else {
      error = run(stage.stages, null, stage.name, null);
    }
    error = post.run(stage, error, stage.name);
    Interpreter.rethrow(error);
  }

  private Throwable steps(Model stage) {
    try {
      script.execute(stage.steps);
      return null;
    } catch (RuntimeException | AssertionError | StackOverflowError e) {
      return e;
    }
  }

  /** The result that an error stands for. */
  static Result result(Throwable error) {
    return error instanceof Interruption interruption ? interruption.result() : Result.FAILURE;
  }
}
