package io.shardload.generator;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.workload.Model;
import java.util.List;
import java.util.OptionalLong;

/**
 * The amount of data. Section {@code workload.data} says it in one of three ways: as {@code
 * documents}, as {@code dataset-size}, or as {@code ratio-to-ram}, a multiple of the RAM of all
 * servers that hold documents. Only this class converts it to a number of documents, which
 * generators, load, header, verification and comparison use.
 *
 * <p>Size means the documents' own text, uncompressed: {@link Model#bytesPerDocument} times their
 * number, which is rounded up. The size on disk, with indexes, compression and replicas, is
 * measured and recorded in {@code evidence.json}.
 */
public final class DataSize {
  /** Section of {@code workload} that records how the number was computed. */
  static final String SECTION = "size";

  /**
   * Key of {@code target}: RAM of all servers that hold documents, for servers that do not report
   * it.
   */
  static final String SERVER_RAM = "server-ram";

  private static final String DOCUMENTS = "documents";
  private static final String SIZE = "dataset-size";
  private static final String RATIO = "ratio-to-ram";
  private static final double LEAST_RATIO = 0.001;
  private static final double MOST_RATIO = 1000;

  private final JsonObject config;
  private final String key;
  private final String asked;
  private final double amount;
  private final long givenRamBytes;

  private DataSize(JsonObject config, String key, String asked, double amount, long givenRamBytes) {
    this.config = config;
    this.key = key;
    this.asked = asked;
    this.amount = amount;
    this.givenRamBytes = givenRamBytes;
  }

  /** Reads it from a whole configuration, and refuses contradictions. */
  public static DataSize read(JsonObject config) {
    Options root = new Options("", config);
    Options data = root.section("workload").section("data");
    List<String> said = List.of(DOCUMENTS, SIZE, RATIO).stream().filter(data::has).toList();
    if (said.size() > 1) {
      throw new ConfigException(
          data.pathOf(said.get(1)), "conflicts with " + said.get(0) + ": set only one of the two");
    }
    String key = said.isEmpty() ? DOCUMENTS : said.get(0);
    double amount =
        switch (key) {
          case SIZE -> bytes(data, SIZE);
          case RATIO -> data.number(RATIO, 0, LEAST_RATIO, MOST_RATIO);
          default -> 0;
        };
    Options target = root.section("target");
    long ram = target.has(SERVER_RAM) ? bytes(target, SERVER_RAM) : 0;
    return new DataSize(config, key, data.text(key, "by default"), amount, ram);
  }

  private static long bytes(Options section, String key) {
    long bytes = section.bytes(key, 0);
    if (bytes < 1) {
      throw new ConfigException(section.pathOf(key), "must be more than 0");
    }
    return bytes;
  }

  /** Whether the number of documents depends on the RAM, which only the server can report. */
  public boolean asksServer() {
    return key.equals(RATIO) && givenRamBytes == 0;
  }

  /**
   * The configuration with the highest possible number of documents, for checks and connections
   * before the number is known.
   */
  public RunConfig provisional() {
    return RunConfig.read(key.equals(DOCUMENTS) ? config : with(Model.MOST_DOCUMENTS));
  }

  /**
   * The configuration with {@code documents} in place of the requested size, and with the section
   * {@code size} that records how it was computed.
   *
   * @param reportedRamBytes the RAM that the servers reported, if {@link #asksServer}
   * @throws ConfigException the RAM is not known, or there would be too many documents
   */
  public JsonObject resolve(OptionalLong reportedRamBytes) {
    Model<?> model = provisional().model();
    if (!model.keepsRecord()) {
      return asItIs();
    }
    long perDocument = model.bytesPerDocument();
    JsonObject size = new JsonObject();
    size.addProperty("asked", key + ": " + asked);
    long documents = model.counted();
    if (!key.equals(DOCUMENTS)) {
      double bytes = amount;
      if (key.equals(RATIO)) {
        long ram = ram(reportedRamBytes);
        size.addProperty("server_ram_bytes", ram);
        size.addProperty("server_ram", givenRamBytes > 0 ? "given" : "reported by the server");
        bytes *= ram;
      }
      documents = documents(bytes, perDocument);
    }
    size.addProperty("bytes_per_document", perDocument);
    size.addProperty("documents", documents);
    size.addProperty("bytes", documents * perDocument);
    JsonObject resolved = with(documents);
    resolved.getAsJsonObject("workload").add(SECTION, size);
    return pinned(resolved);
  }

  /** Existing data is not resized. */
  private JsonObject asItIs() {
    if (!key.equals(DOCUMENTS)) {
      throw new ConfigException(
          "workload.data." + key, "conflicts with existing: existing data is not resized");
    }
    return pinned(config.deepCopy());
  }

  /**
   * With the hash of what the workload was read from, which generators compare with theirs, and
   * with the values of its options.
   */
  private static JsonObject pinned(JsonObject resolved) {
    Model<?> model = RunConfig.read(resolved).model();
    if (!model.chosen().isEmpty()) {
      JsonObject workload = resolved.getAsJsonObject("workload");
      workload.add("chosen", Json.PRETTY.toJsonTree(model.chosen()));
    }
    if (!model.hash().isEmpty()) {
      resolved.getAsJsonObject("workload").addProperty("hash", model.hash());
    }
    return resolved;
  }

  private long ram(OptionalLong reported) {
    if (givenRamBytes == 0 && reported.isEmpty()) {
      throw new ConfigException(
          "target." + SERVER_RAM,
          "is missing: workload.data.ratio-to-ram needs the servers' RAM, which they do not report"
              + " to this user; set it, such as 16GiB");
    }
    return givenRamBytes > 0 ? givenRamBytes : reported.getAsLong();
  }

  private long documents(double bytes, long perDocument) {
    double documents = Math.ceil(bytes / perDocument);
    if (documents > Model.MOST_DOCUMENTS) {
      throw new ConfigException(
          "workload.data." + key,
          "%s means %.0f documents of %d bytes; at most %d are possible"
              .formatted(asked, documents, perDocument, Model.MOST_DOCUMENTS));
    }
    return (long) documents;
  }

  private JsonObject with(long documents) {
    JsonObject copy = config.deepCopy();
    JsonObject data = new Options("", copy).section("workload").subtree("data");
    data.remove(SIZE);
    data.remove(RATIO);
    if (documents > 0 || data.has(DOCUMENTS)) {
      data.addProperty(DOCUMENTS, documents);
    }
    copy.getAsJsonObject("workload").add("data", data);
    return copy;
  }
}
