package io.shardload.sampler;

import io.shardload.generator.GeneratorProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;

/**
 * The controller's line to a generator: a line {@code stop} ends the run, and so does the end of
 * standard input, which follows every death of the controller.
 */
final class StdinWatch {
  private StdinWatch() {}

  static void start(GeneratorProcess process) {
    Thread thread = new Thread(() -> watch(process), "shardload-stdin");
    thread.setDaemon(true);
    thread.start();
  }

  private static void watch(GeneratorProcess process) {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      String line;
      while ((line = in.readLine()) != null) {
        if (line.equals("stop")) {
          process.stop("stop");
        }
      }
      process.stop("stdin-closed");
    } catch (IOException e) {
      process.stop("stdin-closed");
    }
  }
}
