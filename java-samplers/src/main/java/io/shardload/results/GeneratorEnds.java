package io.shardload.results;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;

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
}
