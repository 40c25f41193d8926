package io.shardload.jenkins.step;

import io.shardload.jenkins.build.Build;
import io.shardload.jenkins.build.BuildRecord;
import io.shardload.jenkins.build.Interruption;
import io.shardload.jenkins.build.Result;
import io.shardload.jenkins.build.StepFailure;
import io.shardload.jenkins.grammar.Signature;
import io.shardload.jenkins.script.Arguments;
import io.shardload.jenkins.script.Script;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** Executes and records steps. */
public final class Steps implements Script.Executor {
  /** A step; the body is null for a step without a block. */
  interface Step {
    Object run(Arguments arguments, Supplier<Object> body, BuildRecord.StepEntry entry)
        throws IOException, InterruptedException;
  }

  /** Steps that need a workspace, by their required context. */
  private static final Set<String> ON_NODE =
      Set.of(
          "sh",
          "checkout",
          "archiveArtifacts",
          "junit",
          "readFile",
          "writeFile",
          "fileExists",
          "dir",
          "deleteDir");

  private final Build build;
  private final Map<String, Step> steps = new HashMap<>();

  public Steps(Build build) {
    this.build = build;
    steps.putAll(new FlowSteps(build).steps());
    steps.putAll(new BlockSteps(build).steps());
    steps.putAll(new FileSteps(build).steps());
    steps.put("sh", new ShellStep(build));
    steps.put("junit", new JunitStep(build));
  }

  @Override
  public Object run(Signature signature, Arguments arguments, Supplier<Object> body) {
    String name = signature.name();
    build.interruptions().check();
    if (ON_NODE.contains(name) && !build.onNode()) {
      throw new StepFailure(name + " needs a node: no workspace here");
    }
    Step step = steps.get(name);
    if (step == null) {
      throw new StepFailure("step " + name + " is not implemented");
    }
    BuildRecord.StepEntry entry = build.record().step(name, plain(arguments.named()));
    try {
      return step.run(arguments, body, entry);
    } catch (IOException e) {
      throw new StepFailure(name + ": " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Interruption(Result.ABORTED, "the interpreter was interrupted", true);
    }
  }

  private Map<String, Object> plain(Map<String, Object> arguments) {
    Map<String, Object> plain = new LinkedHashMap<>();
    arguments.forEach((name, value) -> plain.put(name, plain(value)));
    return plain;
  }

  private Object plain(Object value) {
    if (value == null || value instanceof Number || value instanceof Boolean) {
      return value;
    }
    if (value instanceof List<?> list) {
      return list.stream().map(this::plain).toList();
    }
    if (value instanceof Map<?, ?> map) {
      Map<String, Object> plain = new LinkedHashMap<>();
      map.forEach((name, entry) -> plain.put(name.toString(), plain(entry)));
      return plain;
    }
    return build.console().masking().mask(value.toString());
  }
}
