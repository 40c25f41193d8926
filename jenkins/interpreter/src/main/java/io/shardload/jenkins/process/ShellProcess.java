package io.shardload.jenkins.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * A script that runs detached, as {@code BourneShellScript} starts it.
 *
 * <p>{@code sh -xe script} is the child of a shell in the background under nohup: it ignores
 * SIGHUP, SIGINT and SIGQUIT, has no standard input, and its output and its exit code are files, so
 * that it outlives the process that watches it. Only the script has the cookie by which a step is
 * stopped.
 */
public final class ShellProcess {
  /** The cookie of a running step. */
  public static final String STEP_COOKIE = "JENKINS_SERVER_COOKIE";

  /** The cookie of a build on its agent. */
  public static final String NODE_COOKIE = "JENKINS_NODE_COOKIE";

  private static final String NAME = "[A-Za-z_][A-Za-z0-9_]*";

  private final Path control;
  private final boolean captures;

  private ShellProcess(Path control, boolean captures) {
    this.control = control;
    this.captures = captures;
  }

  /**
   * Starts a script.
   *
   * @param control a new folder for the script, its output and its exit code
   * @param captures whether standard output is kept apart from the log
   */
  public static ShellProcess start(
      Path control,
      String script,
      boolean captures,
      Path directory,
      Map<String, String> environment,
      String cookie)
      throws IOException {
    Files.createDirectories(control);
    Files.createDirectories(directory);
    Files.writeString(control.resolve("script.sh"), script);
    Files.writeString(control.resolve("environment.sh"), exports(environment, cookie));
    Files.createFile(control.resolve("log"));
    ProcessBuilder builder = new ProcessBuilder("nohup", "sh", "-c", launcher(script, captures));
    builder.directory(directory.toFile());
    builder.redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD);
    builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    builder.environment().clear();
    builder.environment().putAll(ascii(environment));
    builder.environment().put("SHARDLOAD_JENKINS_CONTROL", control.toString());
    builder.environment().put(STEP_COOKIE, "please-do-not-kill-me");
    builder.start();
    return new ShellProcess(control, captures);
  }

  private static String launcher(String script, boolean captures) {
    String interpreter = script.startsWith("#!") ? "" : "sh -xe ";
    String output = captures ? ">\"$control/output\" 2>\"$control/log\"" : ">\"$control/log\" 2>&1";
    String run =
        "(. \"$control/environment.sh\"; exec " + interpreter + "\"$control/script.sh\") " + output;
    String prepare =
        "control=$SHARDLOAD_JENKINS_CONTROL; unset SHARDLOAD_JENKINS_CONTROL;"
            + " chmod 755 \"$control/script.sh\";";
    String result =
        "echo $? >\"$control/result.new\"; mv \"$control/result.new\" \"$control/result\"";
    return prepare + "(" + run + "; " + result + ") >&- 2>&- &";
  }

  /** The JVM cannot hand characters beyond its own locale to a process: the shell reads them. */
  private static String exports(Map<String, String> environment, String cookie) {
    Map<String, String> exported = new TreeMap<>();
    environment.forEach(
        (name, value) -> {
          if (name.matches(NAME) && !isAscii(value)) {
            exported.put(name, value);
          }
        });
    exported.put(STEP_COOKIE, cookie);
    StringBuilder lines = new StringBuilder();
    exported.forEach(
        (name, value) ->
            lines.append("export %s='%s'\n".formatted(name, value.replace("'", "'\\''"))));
    return lines.toString();
  }

  private static Map<String, String> ascii(Map<String, String> environment) {
    Map<String, String> plain = new TreeMap<>(environment);
    plain.values().removeIf(value -> !isAscii(value));
    return plain;
  }

  private static boolean isAscii(String text) {
    return text.chars().allMatch(c -> c < 128);
  }

  /** The exit code, once the script has ended. */
  public OptionalInt exit() throws IOException {
    Path result = control.resolve("result");
    return Files.exists(result)
        ? OptionalInt.of(Integer.parseInt(Files.readString(result).strip()))
        : OptionalInt.empty();
  }

  /** What standard output held, where it is kept apart. */
  public String output() throws IOException {
    return captures
        ? new String(Files.readAllBytes(control.resolve("output")), StandardCharsets.UTF_8)
        : "";
  }

  public Path log() {
    return control.resolve("log");
  }

  /** Deletes the script's files. */
  public void clean() throws IOException {
    for (String name :
        List.of("script.sh", "environment.sh", "log", "output", "result", "result.new")) {
      Files.deleteIfExists(control.resolve(name));
    }
    try {
      Files.deleteIfExists(control);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot delete " + control, e);
    }
  }
}
