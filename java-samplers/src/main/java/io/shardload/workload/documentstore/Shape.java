package io.shardload.workload.documentstore;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.config.Units;
import io.shardload.data.KeyDistribution;
import io.shardload.workload.Model;
import io.shardload.workload.documentstore.port.DocumentStore;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The data parameters of the workload.
 *
 * @param documents loaded before the run
 * @param tenants distinct values of id; ordinals are assigned to them in turn. Shards hold whole
 *     tenants, so there are many by default: because of random hashing the hottest of 12 shards
 *     holds 1.6 times the mean of 100 tenants, but 1.2 times that of 1000 and 1.06 times that of 10
 *     000
 * @param rowsPerFind rows that a list find returns on average, from which the cardinalities of
 *     filter2 to filter5 follow
 * @param documentBytes size of the column document, or 0 for a mix of 2, 4, 8 and 16 KiB
 * @param compressibility target ratio of size over compressed size of the text (deflate, level 6)
 * @param distribution uniform or zipfian: how transactions choose documents
 */
public record Shape(
    long seed,
    long documents,
    int tenants,
    int rowsPerFind,
    int documentBytes,
    double compressibility,
    String distribution,
    double zipfExponent) {

  private static final int MAX_DOCUMENT_BYTES = 8 << 20;
  private static final long MOST_TENANTS = 10_000_000;

  /**
   * Default number of tenants, limited by the number of documents, and documents per tenant in a
   * larger data set.
   */
  private static final long FEWEST_TENANTS = 1000;

  private static final long PER_TENANT = 100;
  private static final String SEED = "seed";
  private static final String BYTES = "document-bytes";
  private static final String VARIABLE = "variable";

  /** Reads section {@code workload.data}. */
  static Shape read(long seed, Options data) {
    refuseSizes(data);
    long documents = data.integer("documents", 100_000, 1, Model.MOST_DOCUMENTS);
    long mostTenants = Math.min(documents, MOST_TENANTS);
    long tenants = Math.min(mostTenants, Math.max(FEWEST_TENANTS, documents / PER_TENANT));
    Shape shape =
        new Shape(
            seed,
            documents,
            (int) data.integer("tenants", tenants, 1, mostTenants),
            (int) data.integer("rows-per-find", 10, 1, DocumentStore.LIMIT),
            documentBytes(data),
            data.number("compressibility", 2.0, 1.3, 4.0),
            data.choice("key-distribution", "uniform", List.of("uniform", "zipfian")),
            data.number("zipf-exponent", 0.99, 0.01, 10));
    data.rejectUnknown();
    return shape;
  }

  /**
   * These names are known so that they are suggested for mistyped names; the command line has
   * already replaced them with documents.
   */
  private static void refuseSizes(Options data) {
    for (String key : List.of("dataset-size", "ratio-to-ram")) {
      if (data.has(key)) {
        throw new ConfigException(
            data.pathOf(key),
            "is supported only by the shardload command line; set documents instead");
      }
    }
  }

  private static int documentBytes(Options data) {
    String text = data.text("document-size", "2KiB");
    if (text.equals(VARIABLE)) {
      return 0;
    }
    long bytes =
        Units.bytes(text)
            .orElseThrow(
                () ->
                    new ConfigException(
                        data.pathOf("document-size"),
                        "'" + text + "' is neither a size such as 2KiB nor 'variable'"));
    if (bytes < 1 || bytes > MAX_DOCUMENT_BYTES) {
      throw new ConfigException(data.pathOf("document-size"), text + " is not between 1B and 8MiB");
    }
    return (int) bytes;
  }

  /** Documents of one tenant after the load, at least 1. */
  long perTenant() {
    return Math.max(1, documents / tenants);
  }

  /** Distinct values per tenant of a filter that a find queries with two values. */
  long valuesOfPairs() {
    return Math.max(1, 2 * perTenant() / rowsPerFind);
  }

  /** Distinct values per tenant of a filter that a find queries with one value. */
  long valuesOfSingles() {
    return Math.max(1, perTenant() / rowsPerFind);
  }

  KeyDistribution ranks() {
    return distribution.equals("zipfian")
        ? KeyDistribution.zipfian(zipfExponent)
        : KeyDistribution.uniform();
  }

  /** The parameters that determine the content; the key distribution is not one of them. */
  Map<String, String> content() {
    Map<String, String> content = new TreeMap<>();
    content.put(SEED, Long.toString(seed));
    content.put("documents", Long.toString(documents));
    content.put("tenants", Integer.toString(tenants));
    content.put("rows-per-find", Integer.toString(rowsPerFind));
    content.put(BYTES, documentBytes == 0 ? VARIABLE : "" + documentBytes);
    content.put("compressibility", Double.toString(compressibility));
    return content;
  }

  /** As {@link Model#option}. */
  static String option(String key, String value) {
    return switch (key) {
      case SEED -> "workload.seed=" + value;
      case BYTES -> "workload.data.document-size=" + value + (value.equals(VARIABLE) ? "" : "B");
      default -> "workload.data." + key + "=" + value;
    };
  }
}
