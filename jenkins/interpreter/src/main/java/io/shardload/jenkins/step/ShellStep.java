package io.shardload.jenkins.step;

import io.shardload.jenkins.build.Build;
import io.shardload.jenkins.build.BuildRecord;
import io.shardload.jenkins.build.Interruption;
import io.shardload.jenkins.build.Setup;
import io.shardload.jenkins.build.StepFailure;
import io.shardload.jenkins.process.LogTail;
import io.shardload.jenkins.process.ProcessTree;
import io.shardload.jenkins.process.ShellProcess;
import io.shardload.jenkins.script.Arguments;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** {@code sh}, as {@code DurableTaskStep} with {@code BourneShellScript}. */
public final class ShellStep implements Steps.Step {
  private static final int POLL_MILLIS = 20;

  private final Build build;

  ShellStep(Build build) {
    this.build = build;
  }

  @Override
  public Object run(Arguments arguments, Supplier<Object> body, BuildRecord.StepEntry entry)
      throws IOException, InterruptedException {
    if (arguments.flag("returnStdout") && arguments.flag("returnStatus")) {
      throw new StepFailure("sh: returnStdout and returnStatus exclude each other");
    }
    String script = arguments.string("script");
    warnOfSecrets(script);
    for (Map.Entry<String, Setup.Stub> stub : build.setup().stubs().entrySet()) {
      if (Pattern.compile(stub.getKey()).matcher(script).find()) {
        build.console().print("+ " + script + " (replaced)");
        return end(arguments, entry, stub.getValue().exit(), stub.getValue().stdout());
      }
    }
    return execute(arguments, script, entry);
  }

  private void warnOfSecrets(String script) {
    if (!build.console().masking().mask(script).equals(script)) {
      build
          .console()
          .print("Warning: A secret was passed to \"sh\" using Groovy String interpolation.");
    }
  }

  private Object execute(Arguments arguments, String script, BuildRecord.StepEntry entry)
      throws IOException, InterruptedException {
    String workspace = build.setup().workspace().toString();
    Path control = Path.of(workspace + "@tmp", "durable-" + UUID.randomUUID());
    String cookie = "durable-" + digest(workspace);
    Map<String, String> environment = build.variables().all();
    environment.put("PWD", build.directory().toString());
    ShellProcess process =
        ShellProcess.start(
            control,
            script,
            arguments.flag("returnStdout"),
            build.directory(),
            environment,
            cookie);
    int exit = watch(process, cookie);
    String output = process.output();
    process.clean();
    return end(arguments, entry, exit, output);
  }

  /** Waits for the end; an interruption ends the processes first, and fails the step. */
  private int watch(ShellProcess process, String cookie) throws IOException, InterruptedException {
    LogTail log = new LogTail(process.log());
    Interruption cause = null;
    long deadline = 0;
    while (true) {
      OptionalInt exit = process.exit();
      log.lines(exit.isPresent()).forEach(build.console()::print);
      if (exit.isPresent()) {
        if (cause != null) {
          process.clean();
          throw cause;
        }
        return exit.getAsInt();
      }
      Interruption taken = build.interruptions().take();
      if (taken != null && taken.immediate()) {
        throw taken;
      }
      if (taken != null && cause == null) {
        cause = taken;
        deadline = System.nanoTime() + build.setup().remoteTimeout().toNanos();
        stop(cookie);
      }
      if (cause != null && System.nanoTime() > deadline) {
        build.console().print("After the remote timeout the process did not stop");
        throw cause;
      }
      build.interruptions().pause(POLL_MILLIS);
    }
  }

  private void stop(String cookie) {
    build.console().print("Sending interrupt signal to process");
    ProcessTree tree = new ProcessTree(build.setup().softKill());
    Thread thread =
        new Thread(
            () -> {
              try {
                tree.killAll(ShellProcess.STEP_COOKIE, cookie);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "kill");
    thread.setDaemon(true);
    thread.start();
  }

  private Object end(Arguments arguments, BuildRecord.StepEntry entry, int exit, String output) {
    entry.exit = exit;
    if (arguments.flag("returnStatus")) {
      return exit;
    }
    if (exit != 0) {
      build.console().print(output);
      throw new StepFailure("script returned exit code " + exit);
    }
    return arguments.flag("returnStdout") ? output : null;
  }

  private static String digest(String text) {
    try {
      byte[] bytes =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
