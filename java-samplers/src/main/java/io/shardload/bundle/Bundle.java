package io.shardload.bundle;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.json.Json;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * A run bundle as read. The JSON parts are null where the run was cut off before it wrote them.
 *
 * @param run the effective configuration (run.json); never null
 * @param hosts what the machines did (hosts.json); null without hosts.json
 * @param merged all generators together, interval by interval; null if each generator has its own
 *     interval files. With it, a generator has one histogram per segment.
 * @param problems what could not be read, in plain words
 */
public record Bundle(
    Path directory,
    JsonObject run,
    JsonObject environment,
    JsonObject evidence,
    JsonObject verification,
    JsonObject outcome,
    HostMetrics hosts,
    List<GeneratorLog> generators,
    GeneratorLog merged,
    List<String> problems) {

  public boolean open() {
    return !"closed".equals(Json.text(Json.object(run, "load"), "model", "open"));
  }

  /**
   * Whether there was a database that keeps what is written. A run that ended before it wrote this
   * fact counts as a run with a database.
   */
  public boolean keepsData() {
    JsonObject target = Json.object(environment, "target");
    return !target.has("keeps_data") || Json.flag(target, "keeps_data");
  }

  /** Whether a server runs on the machine of a generator. */
  public boolean sharesMachine() {
    return IntStream.range(0, expectedGenerators()).anyMatch(this::sharesMachine);
  }

  /** Whether a server runs on the machine of one generator. */
  public boolean sharesMachine(int generator) {
    JsonObject facts = facts(generator);
    return Json.flag(
        facts.has("shares_machine") ? facts : Json.object(environment, "target"), "shares_machine");
  }

  /** Whether the generators run on load hosts, and not in a process that the controller started. */
  public boolean hasHosts() {
    return run.has("hosts");
  }

  /** The facts that the generator of a load host reported, by its number; empty without any. */
  public JsonObject facts(int generator) {
    JsonArray all = Json.array(environment, "generators");
    JsonElement facts =
        generator >= 0 && generator < all.size() ? all.get(generator) : JsonNull.INSTANCE;
    return facts.isJsonObject() ? facts.getAsJsonObject() : new JsonObject();
  }

  /** Where a generator runs, as the user wrote it; empty if it runs on the controller's machine. */
  public String host(int generator) {
    JsonArray hosts = Json.array(Json.object(run, "hosts"), "list");
    return generator >= 0 && generator < hosts.size()
        ? hosts.get(generator).getAsString()
        : Json.text(facts(generator), "host", "");
  }

  /** A generator in words, {@code generator 1 (10.9.0.3:1099)}. */
  public String name(int generator) {
    String host = host(generator);
    return "generator " + generator + (host.isEmpty() ? "" : " (" + host + ")");
  }

  /** The machine of a generator: {@code cpus}, {@code os}, {@code java} ... */
  public JsonObject machine(int generator) {
    JsonObject facts = facts(generator);
    return facts.isEmpty() ? Json.object(environment, "generator") : facts;
  }

  /** Whether a read must show every write that was acknowledged before it. */
  public boolean readsPrimary() {
    return Json.flag(Json.object(environment, "target"), "reads_primary");
  }

  /** A constant of {@link VerificationVerdict}; a bundle without verification has not run it. */
  public String verificationVerdict() {
    return Json.text(verification, "verdict", VerificationVerdict.NOT_RUN);
  }

  /** Which documents were read back; in bundles without this fact, all. */
  public VerificationMode verificationMode() {
    return VerificationMode.of(Json.text(verification, "mode", VerificationMode.ALL.label()));
  }

  /** Rows that verification read after the run; empty if it did not read them all. */
  public OptionalLong rowsAtEnd() {
    boolean walked = !verificationVerdict().equals(VerificationVerdict.NOT_RUN);
    return walked && verificationMode() == VerificationMode.ALL
        ? OptionalLong.of(Json.integer(verification, "walked", 0))
        : OptionalLong.empty();
  }

  /**
   * The facts that the load hosts reported; empty if the generator runs on the controller's
   * machine.
   */
  public List<JsonObject> loadHosts() {
    return hasHosts()
        ? IntStream.range(0, expectedGenerators()).mapToObj(this::facts).toList()
        : List.of();
  }

  /** What the server only pretends to be, in one sentence; empty for a real one. */
  public String fake() {
    return Json.text(Json.object(environment, "target"), "fake", "");
  }

  /** How many generators the run should have. */
  public int expectedGenerators() {
    return (int) Math.max(1, Json.integer(Json.object(run, "load"), "generators", 1));
  }

  /** The first message of each kind of error, by the first generator that has one. */
  public Map<String, String> errorSamples() {
    Map<String, String> samples = new TreeMap<>();
    for (GeneratorLog generator : generators) {
      if (generator.end() != null) {
        generator.end().errorSamples().forEach(samples::putIfAbsent);
      }
    }
    return samples;
  }
}
