package io.shardload.results;

import io.shardload.bundle.BundleLayout;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The last error that a generator left in the bundle: its own error file ({@code
 * latencies/generator-N.error}), else JMeter's log, else the output of the JVM.
 *
 * @param message in one line, empty if nothing is known
 * @param file that holds more, or null if there is none
 */
public record LastError(String message, Path file) {
  private static final int LONGEST = 300;
  private static final Pattern LOG_LINE = Pattern.compile("\\S+ \\S+ ([A-Z]+) \\S+: (.*)");
  private static final Pattern ERROR = Pattern.compile("Error|Exception|SEVERE");

  /** What a JVM prints around the line that says why it does not start. */
  private static final Pattern NOISE =
      Pattern.compile(
          "Error occurred during initialization of VM.*|Error: (Could not create|A fatal).*|#?\\s*");

  public static LastError of(Path bundle, int generator) {
    BundleLayout layout = new BundleLayout(bundle);
    Path log = layout.jmeterLog();
    Path output = layout.jmeterOutput();
    boolean hasLog = Files.isRegularFile(log);
    String own = first(read(layout.error(generator)));
    if (!own.isEmpty()) {
      return new LastError(own, hasLog ? log : null);
    }
    String logged = ofLog(read(log));
    if (!logged.isEmpty()) {
      return new LastError(logged, log);
    }
    // Without a log the JVM did not start; its first lines have the reason.
    List<String> printed = read(output);
    String last = hasLog ? lastError(printed) : first(printed);
    Path file = hasLog && last.isEmpty() ? log : Files.isRegularFile(output) ? output : null;
    return new LastError(last, file);
  }

  /** A suffix for a sentence: the error, and the file by its name in {@code runs}. */
  public String suffix() {
    String cause = message.isEmpty() ? "" : ": " + shortened(message);
    if (file == null) {
      return cause;
    }
    Path runs = file.getParent().getParent().toAbsolutePath().getParent().getParent();
    return cause + "; see " + runs.relativize(file.toAbsolutePath());
  }

  private static String shortened(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
  }

  /** The last line of level ERROR or FATAL, with the innermost cause of the trace below it. */
  private static String ofLog(List<String> lines) {
    String message = "";
    boolean within = false;
    String cause = "";
    for (String line : lines) {
      Matcher entry = LOG_LINE.matcher(line);
      if (entry.matches()) {
        within = entry.group(1).equals("ERROR") || entry.group(1).equals("FATAL");
        message = within ? entry.group(2) : message;
        cause = within ? "" : cause;
      } else if (within && line.startsWith("Caused by: ")) {
        cause = line.substring("Caused by: ".length());
      }
    }
    return cause.isEmpty() || message.contains(cause) ? message : message + ": " + cause;
  }

  private static String first(List<String> lines) {
    return lines.stream().filter(line -> !NOISE.matcher(line).matches()).findFirst().orElse("");
  }

  private static String lastError(List<String> lines) {
    return lines.stream()
        .filter(line -> ERROR.matcher(line).find() && !line.startsWith("\t"))
        .reduce("", (earlier, later) -> later);
  }

  private static List<String> read(Path file) {
    if (!Files.isRegularFile(file)) {
      return List.of();
    }
    try {
      // Bytes that are not UTF-8 must not hide the rest.
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      return List.of();
    }
  }
}
