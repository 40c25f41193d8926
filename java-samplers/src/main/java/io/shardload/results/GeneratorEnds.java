package io.shardload.results;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reports generators that ended neither by their schedule nor by order of the controller. */
public final class GeneratorEnds {
  /** The planned end is a sum of segments, each of which may have been rounded. */
  private static final long ROUNDING_NANOS = 1_000_000;

  /** A process that a signal ended has the signal's number below 0, a JVM that handled it above. */
  private static final int SIGNALLED = 128;

  private static final int SIGNALS = 64;

  /** Why a generator ends when all do. */
  private static final Set<String> TOGETHER = Set.of("schedule", "stop", "generator-lost");

  private GeneratorEnds() {}

  /**
   * Generators with a final line that ended before their schedule, or lost workers before it.
   *
   * @param stoppedBy why the controller ordered the end; empty if it did not
   */
  public static List<String> early(Bundle bundle, String stoppedBy) {
    List<String> reasons = new ArrayList<>();
    if (stoppedBy.equals("overdue")) {
      reasons.add("a generator did not end with its schedule, so the controller stopped it");
    }
    for (GeneratorLog generator : bundle.generators()) {
      if (generator.end() != null && !missedStart(generator)) {
        reasons.addAll(early(bundle, generator, stoppedBy));
      }
    }
    return reasons;
  }

  /** Whether a generator with a final line did not begin, because the start was not sound. */
  public static boolean missedStart(GeneratorLog generator) {
    return generator.end().stopReason().equals("clock-set");
  }

  /** Generators that left the warm-up while others prolonged it: they measured at other times. */
  public static List<String> leftWarmUpAlone(Bundle bundle) {
    List<String> reasons = new ArrayList<>();
    JsonObject load = Json.object(bundle.run(), "load");
    long longest = Json.integer(load, "prolonged_ns", 0);
    if (longest == 0) {
      return reasons;
    }
    JsonObject warmUp = Json.array(load, "segments").get(0).getAsJsonObject();
    double end = Json.number(warmUp, "seconds", 0) * 1e9;
    for (GeneratorLog generator : bundle.generators()) {
      long missing = longest - generator.extent().prolongedNanos();
      if (missing > 0 && generator.endNanos() > end - missing) {
        reasons.add(
            bundle.name(generator.generator())
                + String.format(
                    Locale.ROOT, " ended its warm-up %.1f s before the others", missing / 1e9));
      }
    }
    return reasons;
  }

  private static List<String> early(Bundle bundle, GeneratorLog generator, String stoppedBy) {
    int number = generator.generator();
    GeneratorLog.End end = generator.end();
    List<String> reasons = new ArrayList<>();
    boolean beforePlan = end.actualEndNanos() < plannedNanos(bundle) - ROUNDING_NANOS;
    // Its first reason counts: a reason other than "stop" came before the controller's order.
    boolean oneFailed = bundle.hasHosts() && oneFailed(bundle);
    boolean ordered =
        switch (end.stopReason()) {
          case "stop", "schedule" -> !stoppedBy.isEmpty() || oneFailed;
          case "generator-lost" -> oneFailed || stoppedBy.equals("generator-lost");
          default -> stoppedBy.equals("signal") || stoppedBy.equals(end.stopReason());
        };
    boolean asPlanned = end.stopReason().equals("schedule") && !beforePlan;
    int exit = exitCode(bundle, number).orElse(0);
    if (!ordered && !asPlanned) {
      boolean leftWord = Set.of("ordinals-lost", "disk-full").contains(end.stopReason());
      String word = leftWord ? LastError.of(bundle.directory(), number).suffix() : "";
      reasons.add(bundle.name(number) + stopped(end.stopReason()) + after(bundle, end) + word);
    } else if (exit != 0 && !stoppedBy.equals("signal")) {
      reasons.add(withCause(bundle, number, "wrote its last ledger line, but " + ended(exit)));
    } else if (bundle.hasHosts() && Losses.of(bundle).contains(number)) {
      String at = Losses.at(bundle, number);
      reasons.add(bundle.name(number) + " was abandoned by the controller" + at);
    }
    if (end.workersEndedEarly() > 0 && !end.stopReason().equals("threads-ended")) {
      String error = end.workerError().isEmpty() ? "" : ": " + end.workerError();
      reasons.add(
          end.workersEndedEarly() + " workers of " + bundle.name(number) + " ended early" + error);
    }
    return reasons;
  }

  private static String stopped(String reason) {
    return switch (reason) {
      case "stdin-closed", "controller-lost" ->
          " lost the connection to its controller and stopped";
      case "lease-lost" -> " no longer reached Redis and stopped";
      case "prolonged-too-late" -> " learned too late that the warm-up goes on, and stopped";
      case "exchange-failed" -> " could not use what Redis has of the run and stopped";
      case "generator-lost" -> " was stopped because another generator was lost";
      case "disk-full" -> " ran out of disk space and stopped";
      case "signal" -> " was ended by a signal";
      case "threads-ended" -> " was stopped within JMeter";
      case "records-failed" -> " could not write its records";
      case "ordinals-lost" -> " had no more safe new ordinals and stopped";
      default -> " stopped without an order from the controller";
    };
  }

  /** Whether a generator was lost or ended for its own reason: then the others were stopped. */
  private static boolean oneFailed(Bundle bundle) {
    return !Losses.of(bundle).isEmpty()
        || bundle.generators().stream()
            .anyMatch(one -> one.end() != null && !TOGETHER.contains(one.end().stopReason()));
  }

  private static String after(Bundle bundle, GeneratorLog.End end) {
    double planned = plannedNanos(bundle) / 1e9;
    return String.format(Locale.ROOT, " after %.1f of %.1f s", end.actualEndNanos() / 1e9, planned);
  }

  private static long plannedNanos(Bundle bundle) {
    double seconds = 0;
    for (JsonElement segment : Json.array(Json.object(bundle.run(), "load"), "segments")) {
      seconds += Json.number(segment.getAsJsonObject(), "seconds", 0);
    }
    return Math.round(seconds * 1e9);
  }

  /** A generator without a final line: whether it ever wrote one, how it ended, and its error. */
  public static String lost(Bundle bundle, int number) {
    boolean started = Losses.log(bundle, number).isPresent();
    String how =
        exitCode(bundle, number).stream()
            .mapToObj(exit -> started || exit != 0 ? " (" + ended(exit) + ")" : "")
            .findFirst()
            .orElse("");
    return withCause(
        bundle, number, (started ? "was lost" + Losses.at(bundle, number) : "did not start") + how);
  }

  /** The end of a generator, with its last error and the file that has more. */
  public static String withCause(Bundle bundle, int number, String what) {
    LastError error = LastError.of(bundle.directory(), number);
    return bundle.name(number) + " " + what + error.suffix();
  }

  private static String ended(int exit) {
    boolean signalled = exit > SIGNALLED && exit <= SIGNALLED + SIGNALS;
    int signal = exit < 0 ? -exit : signalled ? exit - SIGNALLED : 0;
    String name =
        switch (signal) {
          case 1 -> "SIGHUP";
          case 2 -> "SIGINT";
          case 6 -> "SIGABRT";
          case 9 -> "SIGKILL";
          case 11 -> "SIGSEGV";
          case 15 -> "SIGTERM";
          default -> "signal " + signal;
        };
    return signal == 0 ? "JMeter exited with code " + exit : "JMeter was ended by " + name;
  }

  private static OptionalInt exitCode(Bundle bundle, int number) {
    for (JsonElement element : Json.array(bundle.outcome(), "generators")) {
      JsonObject generator = element.getAsJsonObject();
      JsonElement code = generator.get("exit_code");
      if (Json.integer(generator, "generator", -1) == number
          && code != null
          && !code.isJsonNull()) {
        return OptionalInt.of(code.getAsInt());
      }
    }
    return OptionalInt.empty();
  }

  /**
   * The last error that a generator left in the bundle: its own error file ({@code
   * latencies/generator-N.error}), else JMeter's log, else the output of the JVM.
   *
   * @param message in one line, empty if nothing is known
   * @param file that holds more, or null if there is none
   */
  private record LastError(String message, Path file) {
    private static final int LONGEST = 300;
    private static final Pattern LOG_LINE = Pattern.compile("\\S+ \\S+ ([A-Z]+) \\S+: (.*)");
    private static final Pattern ERROR = Pattern.compile("Error|Exception|SEVERE");

    /** What a JVM prints around the line that says why it does not start. */
    private static final Pattern NOISE =
        Pattern.compile(
            "Error occurred during initialization of VM.*|Error: (Could not create|A"
                + " fatal).*|#?\\s*");

    static LastError of(Path bundle, int generator) {
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
    String suffix() {
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

  /** The generators that the controller abandoned, and the times of their last messages. */
  public static final class Losses {
    private Losses() {}

    /** Their numbers, by the controller. */
    public static SortedSet<Integer> of(Bundle bundle) {
      SortedSet<Integer> lost = new TreeSet<>();
      for (JsonElement element : Json.array(bundle.outcome(), "lost_generators")) {
        lost.add(element.getAsInt());
      }
      for (JsonElement element : Json.array(bundle.outcome(), "losses")) {
        lost.add((int) Json.integer(element.getAsJsonObject(), "generator", -1));
      }
      return lost;
    }

    /** The time of the last message of a generator without a final line; empty without any. */
    public static OptionalLong lastNanos(Bundle bundle, int generator) {
      for (JsonElement element : Json.array(bundle.outcome(), "losses")) {
        JsonObject loss = element.getAsJsonObject();
        if (Json.integer(loss, "generator", -1) == generator && loss.has("last_ns")) {
          return OptionalLong.of(Json.integer(loss, "last_ns", 0));
        }
      }
      return OptionalLong.empty();
    }

    /** {@code " at 12.3 s"}, or nothing where it is not known. */
    public static String at(Bundle bundle, int generator) {
      OptionalLong last = lastNanos(bundle, generator);
      return last.isEmpty() ? "" : String.format(Locale.ROOT, " at %.1f s", last.getAsLong() / 1e9);
    }

    /** What a generator left, if it left anything. */
    public static Optional<GeneratorLog> log(Bundle bundle, int generator) {
      return bundle.generators().stream().filter(one -> one.generator() == generator).findFirst();
    }

    /**
     * Whether a generator has left its final line, if only in a bundle that was completed later.
     */
    public static boolean ended(Bundle bundle, int generator) {
      return log(bundle, generator).map(one -> one.end() != null).orElse(false);
    }
  }
}
