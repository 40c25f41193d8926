package io.shardload.jenkins;

import io.shardload.jenkins.build.Setup;
import io.shardload.jenkins.lint.Finding;
import io.shardload.jenkins.lint.Linter;
import io.shardload.jenkins.run.Runner;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** {@code lint FILE...} or {@code run SETUP.json RECORD.json}. */
public final class Main {
  private static final String USAGE = "usage: lint FILE... | run SETUP.json RECORD.json";

  private Main() {}

  public static void main(String[] words) throws IOException, InterruptedException {
    System.exit(main(Arrays.asList(words)));
  }

  private static int main(List<String> words) throws IOException, InterruptedException {
    if (words.size() == 3 && words.get(0).equals("run")) {
      return run(Path.of(words.get(1)), Path.of(words.get(2)).toAbsolutePath());
    }
    if (words.size() > 1 && words.get(0).equals("lint")) {
      return lint(words.subList(1, words.size()));
    }
    System.err.println(USAGE);
    return 2;
  }

  private static int lint(List<String> files) throws IOException {
    int code = 0;
    for (String file : files) {
      for (Finding finding : Linter.lint(Files.readString(Path.of(file)))) {
        System.out.printf("%s:%d: %s%n", file, finding.line(), finding.message());
        code = 1;
      }
    }
    return code;
  }

  private static int run(Path setup, Path record) throws IOException, InterruptedException {
    Runner runner;
    try {
      runner = new Runner(Setup.read(setup), record);
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      return 2;
    }
    Thread commands = new Thread(() -> obey(runner), "commands");
    commands.setDaemon(true);
    commands.start();
    System.out.println(runner.run());
    return 0;
  }

  /** Reads commands from standard input: each line {@code abort} aborts the build. */
  private static void obey(Runner runner) {
    try {
      BufferedReader input =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = input.readLine(); line != null; line = input.readLine()) {
        if (line.strip().equals("abort")) {
          runner.abort();
        }
      }
    } catch (IOException e) {
      System.err.println("standard input: " + e.getMessage());
    }
  }
}
