package io.shardload.jenkins.step;

import io.shardload.jenkins.build.Build;
import io.shardload.jenkins.build.Interruption;
import io.shardload.jenkins.build.Result;
import io.shardload.jenkins.build.StepFailure;
import io.shardload.jenkins.script.Arguments;
import io.shardload.jenkins.script.Call;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Steps with a block. */
public final class BlockSteps {
  private final Build build;

  public BlockSteps(Build build) {
    this.build = build;
  }

  public Map<String, Steps.Step> steps() {
    Map<String, Steps.Step> steps = new HashMap<>();
    Steps.Step plain = (arguments, body, entry) -> body.get();
    steps.put("script", plain);
    steps.put("timestamps", plain);
    steps.put("ansiColor", plain);
    steps.put("withEnv", (arguments, body, entry) -> withEnv(arguments, body));
    steps.put("withCredentials", (arguments, body, entry) -> withCredentials(arguments, body));
    steps.put("lock", (arguments, body, entry) -> lock(arguments, body));
    steps.put("dir", (arguments, body, entry) -> dir(arguments, body));
    steps.put("timeout", (arguments, body, entry) -> timeout(arguments, body));
    steps.put("retry", (arguments, body, entry) -> retry(arguments, body));
    steps.put("catchError", (arguments, body, entry) -> catchError(arguments, body));
    steps.put("warnError", (arguments, body, entry) -> warnError(arguments, body));
    return steps;
  }

  private Object withEnv(Arguments arguments, Supplier<Object> body) {
    Map<String, String> block = new LinkedHashMap<>();
    for (Object pair : arguments.list("overrides")) {
      String text = String.valueOf(pair);
      int split = text.indexOf('=');
      if (split < 0) {
        throw new StepFailure("withEnv: \"" + text + "\" is not NAME=value");
      }
      block.put(text.substring(0, split), text.substring(split + 1));
    }
    return within(block, body);
  }

  private Object within(Map<String, String> block, Supplier<Object> body) {
    build.variables().push(block);
    try {
      return body.get();
    } finally {
      build.variables().pop();
    }
  }

  /** As {@code BindingStep} with {@code StringBinding}. */
  private Object withCredentials(Arguments arguments, Supplier<Object> body) {
    Map<String, String> block = new LinkedHashMap<>();
    for (Object binding : arguments.list("bindings")) {
      if (!(binding instanceof Call call) || call.arguments().string("credentialsId") == null) {
        throw new StepFailure("withCredentials: a binding is string(credentialsId, variable)");
      }
      String variable = call.arguments().string("variable");
      if (variable == null) {
        throw new StepFailure("withCredentials: argument \"variable\" of string is missing");
      }
      block.put(variable, secret(call.arguments().string("credentialsId")));
    }
    if (!block.isEmpty()) {
      List<String> names = block.keySet().stream().map(name -> "$" + name).toList();
      build.console().print("Masking supported pattern matches of " + String.join(" or ", names));
    }
    build.console().masking().push(block.values());
    try {
      return within(block, body);
    } catch (RuntimeException e) {
      throw masked(e);
    } finally {
      build.console().masking().pop();
    }
  }

  /**
   * As {@code MaskedException}: an error leaves the block without the secrets in its message. An
   * interruption whose message contains one becomes a failure, as it does there.
   */
  private RuntimeException masked(RuntimeException error) {
    boolean plain = error instanceof StepFailure || error instanceof Interruption;
    String message = plain ? error.getMessage() : error.toString();
    String masked = build.console().masking().mask(message);
    return masked.equals(message) ? error : new StepFailure(masked);
  }

  public String secret(String id) {
    String secret = build.setup().credentials().get(id);
    if (secret == null) {
      throw new StepFailure("Could not find credentials entry with ID '" + id + "'");
    }
    build.record().credentials.add(id);
    return secret;
  }

  /**
   * As {@code LockStep}: every resource at once. Where another build holds one, this one would
   * wait: it is recorded, and the step fails.
   */
  private Object lock(Arguments arguments, Supplier<Object> body) {
    List<String> names = lockNames(arguments);
    if (names.isEmpty()) {
      throw new StepFailure("lock: Either resource label or resource name must be specified.");
    }
    List<String> awaited = names.stream().filter(build.setup().locksHeld()::contains).toList();
    if (!awaited.isEmpty()) {
      build.record().locksAwaited.addAll(awaited);
      throw new StepFailure("lock: another build holds " + String.join(", ", awaited));
    }
    build.record().locks.addAll(names);
    String shown = String.join(", ", names);
    build.console().print("Lock acquired on [" + shown + "]");
    try {
      String variable = arguments.string("variable");
      return variable == null
          ? body.get()
          : within(Map.of(variable, String.join(",", names)), body);
    } finally {
      build.record().locksReleased.addAll(names);
      build.console().print("Lock released on resource [" + shown + "]");
    }
  }

  private static List<String> lockNames(Arguments arguments) {
    List<String> names = new ArrayList<>();
    if (arguments.string("resource") != null && !arguments.string("resource").isBlank()) {
      names.add(arguments.string("resource").trim());
    }
    for (Object extra : arguments.list("extra")) {
      if (!(extra instanceof Map<?, ?> map)
          || !map.keySet().equals(new TreeSet<>(List.of("resource")))) {
        throw new StepFailure("lock: an entry of \"extra\" is [resource: name]");
      }
      names.add(String.valueOf(map.get("resource")).trim());
    }
    return names;
  }

  private Object dir(Arguments arguments, Supplier<Object> body) {
    Path directory = build.directory().resolve(arguments.string("path")).normalize();
    build.directories().push(directory);
    try {
      return body.get();
    } finally {
      build.directories().pop();
    }
  }

  private Object timeout(Arguments arguments, Supplier<Object> body) {
    if (arguments.flag("activity")) {
      throw new StepFailure("timeout: \"activity\" is not implemented");
    }
    double time = arguments.number("time", 0);
    TimeUnit unit = FlowSteps.unit(arguments, TimeUnit.MINUTES);
    long millis = Math.round(time * unit.toMillis(1));
    build.console().print("Timeout set to expire in %s %s".formatted(time, unit));
    Timer timer = new Timer(build, millis);
    try {
      return body.get();
    } finally {
      timer.stop();
    }
  }

  private Object retry(Arguments arguments, Supplier<Object> body) {
    int left = (int) arguments.number("count", 1);
    while (true) {
      try {
        return body.get();
      } catch (StepFailure e) {
        left--;
        if (left <= 0) {
          throw e;
        }
        build.console().print("ERROR: " + e.getMessage());
        build.console().print("Retrying");
      }
    }
  }

  /** As {@code CatchErrorStep}: an interruption has its own result. */
  private Object catchError(Arguments arguments, Supplier<Object> body) {
    Result buildResult = Result.valueOf(arguments.string("buildResult", "FAILURE"));
    Result stageResult = Result.valueOf(arguments.string("stageResult", "SUCCESS"));
    return caught(arguments, body, buildResult, stageResult);
  }

  private Object warnError(Arguments arguments, Supplier<Object> body) {
    return caught(arguments, body, Result.UNSTABLE, Result.UNSTABLE);
  }

  private Object caught(
      Arguments arguments, Supplier<Object> body, Result buildResult, Result stageResult) {
    try {
      Object unused = body.get();
    } catch (Interruption e) {
      if (Boolean.FALSE.equals(arguments.named().get("catchInterruptions"))) {
        throw e;
      }
      mark(arguments, e, e.result(), e.result());
    } catch (RuntimeException e) {
      mark(arguments, e, buildResult, stageResult);
    }
    return null;
  }

  private void mark(
      Arguments arguments, RuntimeException error, Result buildResult, Result stageResult) {
    if (arguments.string("message") != null) {
      build.console().print("ERROR: " + arguments.string("message"));
    }
    build.console().print("ERROR: " + error.getMessage());
    build.worsen(buildResult);
    build.warn(stageResult);
  }
}
