package io.shardload.jenkins.step;

import io.shardload.jenkins.build.Build;
import io.shardload.jenkins.build.Interruption;
import io.shardload.jenkins.build.Result;
import io.shardload.jenkins.build.StepFailure;
import io.shardload.jenkins.script.Arguments;
import io.shardload.jenkins.script.Call;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Steps that neither have a block nor need a workspace. */
public final class FlowSteps {
  private final Build build;

  FlowSteps(Build build) {
    this.build = build;
  }

  Map<String, Steps.Step> steps() {
    Map<String, Steps.Step> steps = new HashMap<>();
    Steps.Step print =
        (arguments, body, entry) -> {
          build.console().print(arguments.string("message", "null"));
          return null;
        };
    steps.put("echo", print);
    steps.put("print", print);
    steps.put("println", print);
    steps.put(
        "error",
        (arguments, body, entry) -> {
          throw new StepFailure(arguments.string("message"));
        });
    steps.put("unstable", (arguments, body, entry) -> unstable(arguments));
    steps.put("sleep", (arguments, body, entry) -> sleep(arguments));
    steps.put("build", (arguments, body, entry) -> start(arguments));
    return steps;
  }

  /** As {@code UnstableStep}: marks stage and build, and goes on. */
  private Object unstable(Arguments arguments) {
    build.console().print("WARNING: " + arguments.string("message"));
    build.worsen(Result.UNSTABLE);
    build.warn(Result.UNSTABLE);
    return null;
  }

  private Object sleep(Arguments arguments) throws InterruptedException {
    TimeUnit unit = unit(arguments, TimeUnit.SECONDS);
    long end = System.nanoTime() + unit.toNanos(Math.round(arguments.number("time", 0)));
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      build.interruptions().pause(Math.max(1, TimeUnit.NANOSECONDS.toMillis(left)));
      build.interruptions().check();
    }
    return null;
  }

  static TimeUnit unit(Arguments arguments, TimeUnit otherwise) {
    return TimeUnit.valueOf(arguments.string("unit", otherwise.name()).toUpperCase(Locale.ROOT));
  }

  /** As {@code BuildTriggerStep}: the other job's result, and by default its failure, come back. */
  private Object start(Arguments arguments) {
    String job = arguments.string("job");
    Map<String, Object> parameters = new LinkedHashMap<>();
    for (Object parameter : arguments.list("parameters")) {
      if (!(parameter instanceof Call call) || call.arguments().string("name") == null) {
        throw new StepFailure("build: a parameter is string(...) or booleanParam(...)");
      }
      parameters.put(call.arguments().string("name"), call.arguments().named().get("value"));
    }
    Map<String, Object> started = new LinkedHashMap<>();
    started.put("job", job);
    started.put("parameters", parameters);
    build.record().builds.add(started);
    boolean waits = !Boolean.FALSE.equals(arguments.named().get("wait"));
    if (!waits) {
      return null;
    }
    Result result = build.setup().builds().getOrDefault(job, Result.SUCCESS);
    boolean propagates = !Boolean.FALSE.equals(arguments.named().get("propagate"));
    if (propagates && result != Result.SUCCESS) {
      throw new Interruption(result, job + " completed with status " + result, false);
    }
    return Map.of(
        "result", result.toString(), "currentResult", result.toString(), "fullProjectName", job);
  }
}
