package io.shardload.bundle;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import com.google.gson.annotations.SerializedName;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The content of faults.jsonl: what was done to the servers during the load, an event per line. */
public final class FaultsFile {
  private static final Gson JSON =
      new GsonBuilder()
          .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
          .create();

  private FaultsFile() {}

  /** What happened, in the order in which it happens. */
  public enum Kind {
    /** Its begin is called now. */
    @SerializedName("begin")
    BEGIN,
    /** It is in effect. */
    @SerializedName("begun")
    BEGUN,
    /** The first check that failed. */
    @SerializedName("no-answer")
    NO_ANSWER,
    /** The first check of those that succeed from then on. */
    @SerializedName("answers")
    ANSWERS,
    /** Its end is called now. */
    @SerializedName("end")
    END,
    @SerializedName("ended")
    ENDED,
    /** Begin or end failed; the text says why. */
    @SerializedName("failed")
    FAILED
  }

  /**
   * An event of a fault.
   *
   * @param fault its name, {@code kill-1}
   * @param epochMillis by the clock of the controller
   * @param loadNanos since the start of the load, by the same clock
   * @param text may be empty
   */
  public record Event(
      @SerializedName("event") Kind kind,
      String fault,
      @SerializedName("epoch_ms") long epochMillis,
      @SerializedName("load_ns") long loadNanos,
      String text) {

    public Event {
      text = text == null ? "" : text;
    }
  }

  /** The events of one fault, in order of time. */
  public record Fault(String name, List<Event> events) {
    /** Whether it ever was in effect. */
    public boolean injected() {
      return of(Kind.BEGUN).findAny().isPresent();
    }

    /** When this first happened, since the start of the load; null if it did not. */
    public Long firstNanos(Kind kind) {
      return of(kind).map(Event::loadNanos).findFirst().orElse(null);
    }

    /** The same of the last time. */
    public Long lastNanos(Kind kind) {
      return of(kind).map(Event::loadNanos).reduce((earlier, later) -> later).orElse(null);
    }

    /** Whether it was in effect in a part of the load. */
    public boolean isIn(long fromNanos, long toNanos) {
      Long ended = lastNanos(Kind.ENDED);
      return injected() && firstNanos(Kind.BEGUN) < toNanos && (ended == null || ended > fromNanos);
    }

    /**
     * When the server answered again; null if it did not, or if no check failed before the fault
     * had ended. What a busy machine does to a check later is not the fault's.
     */
    public Long answersNanos() {
      Long end = lastNanos(Kind.END);
      Long ended = lastNanos(Kind.ENDED);
      boolean hasFailed = false;
      Long answers = null;
      for (Event event : events) {
        boolean isOver = end != null && event.loadNanos() > end;
        if (isOver && answers != null) {
          return answers;
        }
        switch (event.kind()) {
          case BEGIN -> {
            hasFailed = false;
            answers = null;
          }
          case NO_ANSWER -> {
            hasFailed |= ended == null || event.loadNanos() <= ended;
            answers = null;
          }
          case ANSWERS -> answers = hasFailed ? (Long) event.loadNanos() : null;
          default -> {}
        }
      }
      return answers;
    }

    /** Why its begin or its end failed; empty if they did not. */
    public String failure() {
      return of(Kind.FAILED).map(Event::text).findFirst().orElse("");
    }

    private Stream<Event> of(Kind kind) {
      return events.stream().filter(event -> event.kind() == kind);
    }
  }

  /** Appends a line. */
  public static void append(Event event, Writer out) throws IOException {
    out.write(JSON.toJson(event));
    out.write('\n');
  }

  /**
   * Reads a file, if there is one; what is not a whole line is left out.
   *
   * @return the faults that began, in order of time
   */
  public static List<Fault> read(Path file) throws IOException {
    Map<String, List<Event>> byFault = new LinkedHashMap<>();
    if (Files.isRegularFile(file)) {
      try (BufferedReader lines = Files.newBufferedReader(file)) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          Event event = parse(line);
          if (event != null && event.kind() != null && event.fault() != null) {
            byFault.computeIfAbsent(event.fault(), name -> new ArrayList<>()).add(event);
          }
        }
      }
    }
    return byFault.entrySet().stream()
        .map(fault -> new Fault(fault.getKey(), fault.getValue()))
        .toList();
  }

  private static Event parse(String line) {
    try {
      return JSON.fromJson(line, Event.class);
    } catch (JsonParseException unreadable) {
      return null;
    }
  }
}
