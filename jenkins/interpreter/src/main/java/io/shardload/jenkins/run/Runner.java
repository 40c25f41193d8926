package io.shardload.jenkins.run;

import io.shardload.jenkins.build.Build;
import io.shardload.jenkins.build.Console;
import io.shardload.jenkins.build.Interruption;
import io.shardload.jenkins.build.Interruptions;
import io.shardload.jenkins.build.Result;
import io.shardload.jenkins.build.Setup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Runs one build and writes its record. */
public final class Runner {
  private final Setup setup;
  private final Path record;
  private final Interruptions interruptions = new Interruptions();

  public Runner(Setup setup, Path record) {
    this.setup = setup;
    this.record = record;
  }

  /** Aborts the build, as its stop button does. */
  public void abort() {
    interruptions.interrupt(new Interruption(Result.ABORTED, "Aborted by a user", false));
  }

  /** Runs the build to its end. */
  public Result run() throws IOException, InterruptedException {
    Files.createDirectories(setup.workspace());
    Files.createDirectories(setup.archive());
    Path log = record.resolveSibling(record.getFileName() + ".log");
    try (Console console = new Console(log)) {
      Build build = new Build(setup, console, interruptions);
      new Interpreter(build).run();
      build.record().write(record, build, log);
      return build.result();
    }
  }
}
