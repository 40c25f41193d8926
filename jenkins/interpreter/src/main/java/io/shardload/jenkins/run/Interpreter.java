package io.shardload.jenkins.run;

import groovy.lang.Binding;
import groovy.lang.Closure;
import groovy.lang.GroovyShell;
import io.shardload.jenkins.build.Build;
import io.shardload.jenkins.build.BuildRecord;
import io.shardload.jenkins.build.Interruption;
import io.shardload.jenkins.build.Result;
import io.shardload.jenkins.build.StepFailure;
import io.shardload.jenkins.process.ProcessTree;
import io.shardload.jenkins.process.ShellProcess;
import io.shardload.jenkins.sandbox.Sandbox;
import io.shardload.jenkins.sandbox.SandboxCustomizer;
import io.shardload.jenkins.script.Arguments;
import io.shardload.jenkins.script.Call;
import io.shardload.jenkins.script.CallRewriter;
import io.shardload.jenkins.script.Model;
import io.shardload.jenkins.script.ModelReader;
import io.shardload.jenkins.script.PipelineScript;
import io.shardload.jenkins.script.Script;
import io.shardload.jenkins.step.Steps;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.codehaus.groovy.control.CompilationFailedException;
import org.codehaus.groovy.control.CompilerConfiguration;

/** Executes a pipeline from its first to its last step, as {@code ModelInterpreter}. */
final class Interpreter {
  private final Build build;
  private final Script script;
  private final Wrapping wrapping;
  private final Stages stages;

  Interpreter(Build build) {
    this.build = build;
    script = new Script(build);
    Steps steps = new Steps(build);
    script.steps(steps);
    wrapping = new Wrapping(build, script, steps);
    stages = new Stages(build, script, wrapping);
  }

  /** Executes the pipeline; errors of it become the build's result. */
  void run() throws IOException, InterruptedException {
    try {
      Model root = new ModelReader(script).pipeline(load());
      declare(root);
      execute(root);
    } catch (RuntimeException | AssertionError | StackOverflowError e) {
      fail(e);
    } finally {
      new ProcessTree(build.setup().softKill()).killAll(ShellProcess.NODE_COOKIE, build.cookie());
    }
    build.console().print("Finished: " + build.result());
  }

  private Closure<?> load() throws IOException {
    CompilerConfiguration configuration = Sandbox.configuration();
    configuration.setScriptBaseClass(PipelineScript.class.getName());
    configuration.addCompilationCustomizers(new SandboxCustomizer(), new CallRewriter());
    GroovyShell shell =
        new GroovyShell(Interpreter.class.getClassLoader(), new Binding(), configuration);
    String text = Files.readString(build.setup().jenkinsfile(), StandardCharsets.UTF_8);
    try {
      PipelineScript loaded = (PipelineScript) shell.parse(text, "WorkflowScript.groovy");
      loaded.names(script);
      loaded.run();
    } catch (CompilationFailedException e) {
      throw new StepFailure(e.getMessage());
    }
    if (script.pipeline() == null) {
      throw new StepFailure("the file has no pipeline block");
    }
    return script.pipeline();
  }

  private void declare(Model root) {
    Map<String, Object> defaults = new LinkedHashMap<>();
    for (Call parameter : root.parameters) {
      Arguments arguments = parameter.arguments();
      Object value =
          switch (parameter.name()) {
            case "booleanParam" -> arguments.flag("defaultValue");
            case "choice" -> arguments.list("choices").get(0).toString();
            default -> arguments.string("defaultValue", "");
          };
      defaults.put(arguments.string("name"), value);
    }
    build.declare(defaults);
    build.record().agent = root.agent;
    root.options.forEach(option -> build.record().options.add(option.toString()));
    root.triggers.forEach(trigger -> build.record().triggers.add(trigger.toString()));
  }

  private void execute(Model root) {
    Post post = new Post(build, script);
    boolean[] postDone = {false};
    Throwable[] error = {null};
    try {
      if (!root.agent.equals("none")) {
        build.enterNode();
      }
      if (!root.agent.equals("none") && !root.has("skipDefaultCheckout")) {
        defaultCheckout();
      }
      wrapping.environment(
          root,
          () ->
              wrapping.options(
                  root,
                  () -> {
                    error[0] = stages.run(root.stages, null, null, null);
                    postDone[0] = true;
                    error[0] = post.run(root, error[0], null);
                    rethrow(error[0]);
                  }));
    } catch (RuntimeException | AssertionError e) {
      error[0] = error[0] == null ? e : error[0];
    } finally {
      build.leaveNode();
      if (!postDone[0]) {
        error[0] = post.run(root, error[0], null);
      }
    }
    if (error[0] != null) {
      fail(error[0]);
    }
  }

  /** The stage that a pipeline on an agent begins with, unless skipDefaultCheckout is set. */
  private void defaultCheckout() {
    BuildRecord.StageEntry entry = new BuildRecord.StageEntry("Declarative: Checkout SCM", null);
    build.record().stages.add(entry);
    List<BuildRecord.StepEntry> before = build.record().enter(entry.steps);
    script.call("checkout", new Object[] {script.property("scm")});
    entry.status = Result.SUCCESS.toString();
    build.record().enter(before);
  }

  private void fail(Throwable error) {
    String message = message(error);
    build.record().error = build.console().masking().mask(message);
    build.console().print("ERROR: " + message);
    build.worsen(Stages.result(error));
  }

  static String message(Throwable error) {
    boolean plain = error instanceof StepFailure || error instanceof Interruption;
    return plain ? error.getMessage() : error.toString();
  }

  static void rethrow(Throwable error) {
    if (error instanceof RuntimeException exception) {
      throw exception;
    }
    if (error instanceof Error fatal) {
      throw fatal;
    }
  }
}
