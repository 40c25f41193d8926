package io.shardload.hosts;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Samples this machine for the ledger of a generator. It never fails: the sample reports what
 * cannot be read. Not thread-safe.
 */
public final class MachineSampler {
  /** Of a sample that is taken when the run has begun. */
  static final String AT_START = "machine_at_start";

  /** Of a sample that is taken at the end of an interval. */
  static final String AT_END = "machine";

  private static final Path PROC = Path.of("/proc");
  private static final double NANOS_PER_SECOND = 1e9;

  /** Null if nothing is sampled. */
  private final ProcReader reader;

  private final String name;
  private final String bootId;
  private final List<String> unsupported;
  private JsonObject atStart;

  private MachineSampler(ProcReader reader, String name, String bootId, List<String> unsupported) {
    this.reader = reader;
    this.name = name;
    this.bootId = bootId;
    this.unsupported = unsupported;
  }

  /** Samples nothing. */
  public static MachineSampler off() {
    return new MachineSampler(null, "", "", List.of());
  }

  /** Samples the machine of this process. */
  public static MachineSampler ofThisMachine() {
    return of(PROC, System.getProperty("os.name"));
  }

  static MachineSampler of(Path proc, String system) {
    boolean linux = system.equals("Linux");
    String unsupported = "machine figures are available on Linux only; this is " + system;
    return new MachineSampler(
        new ProcReader(proc),
        word(proc.resolve("sys/kernel/hostname"), "localhost"),
        word(proc.resolve("sys/kernel/random/boot_id"), ""),
        linux ? List.of() : List.of(unsupported));
  }

  private static String word(Path file, String otherwise) {
    try {
      return Files.readString(file).strip();
    } catch (IOException | RuntimeException e) {
      return otherwise;
    }
  }

  /** Takes the first sample; the next line that something is added to carries it. */
  public void begin(LongSupplier nanosSinceStart) {
    if (reader != null) {
      atStart = sample(nanosSinceStart);
    }
  }

  /** Adds a sample of now to a ledger line. */
  public void addTo(JsonObject line, LongSupplier nanosSinceStart) {
    if (reader == null) {
      return;
    }
    if (atStart != null) {
      line.add(AT_START, atStart);
      atStart = null;
    }
    line.add(AT_END, sample(nanosSinceStart));
  }

  private JsonObject sample(LongSupplier nanosSinceStart) {
    JsonObject json = new JsonObject();
    json.addProperty("name", name);
    if (!bootId.isEmpty()) {
      json.addProperty("boot_id", bootId);
    }
    List<String> missing = unsupported;
    if (unsupported.isEmpty()) {
      ProcReader.Reading reading =
          reader.read(() -> nanosSinceStart.getAsLong() / NANOS_PER_SECOND);
      HostSample.add(reading.sample(), json);
      missing = reading.missing();
    }
    if (!missing.isEmpty()) {
      json.add("missing", Json.strings(missing));
    }
    return json;
  }
}
