package io.shardload.driver.postgresql.schema;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import java.util.List;
import java.util.Locale;

/**
 * The section {@code schema}: how table and indexes are made.
 *
 * @param distribution column that Citus distributes by, or {@link #NONE}
 * @param shardCount shards of the table, or 0 for the server's default
 * @param colocateWith a distributed table, or Citus's words {@code default} and {@code none}
 * @param replicationFactor placements of each shard
 * @param index access method of the indexes on filter1, filter4 and filter5
 * @param storage how the column document is kept
 * @param compression pglz, lz4, or {@link #SERVERS_DEFAULT}
 * @param checkpointAfterLoad whether the load ends with a CHECKPOINT
 */
public record SchemaOptions(
    String distribution,
    int shardCount,
    String colocateWith,
    int replicationFactor,
    String index,
    DocumentStorage storage,
    String compression,
    boolean checkpointAfterLoad) {

  static final String NONE = "none";
  public static final String SERVERS_DEFAULT = "default";

  private static final List<String> OTHER_COLUMNS =
      List.of(
          "filter2", "filter3", "filter4", "filter5", "document", "edition", "created", "updated");

  /** How the column document is kept. */
  enum DocumentStorage {
    /** Compressed, and moved out of the row where that is not enough. */
    TOAST_COMPRESSED("x"),
    /** Moved out of the row as it is. */
    TOAST_UNCOMPRESSED("e"),
    /** In the row as it is: MAIN would still compress, and move out as a last resort. */
    NO_TOAST("p");

    /** As in {@code pg_attribute.attstorage}. */
    final String catalog;

    DocumentStorage(String catalog) {
      this.catalog = catalog;
    }

    String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static DocumentStorage of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** The word for what the catalog says. */
    static String wordOf(String catalog) {
      for (DocumentStorage storage : values()) {
        if (storage.catalog.equals(catalog)) {
          return storage.word();
        }
      }
      return catalog.equals("m") ? "MAIN" : catalog;
    }
  }

  /** Reads the section {@code schema}; unknown keys and what does not fit together are refused. */
  public static SchemaOptions read(Options options) {
    SchemaOptions schema =
        new SchemaOptions(
            distribution(options),
            (int) options.integer("shard-count", 0, 1, 64_000),
            options.text("colocate-with", SERVERS_DEFAULT),
            (int) options.integer("replication-factor", 1, 1, 100),
            options.choice("index", "hash", List.of("hash", "btree")),
            DocumentStorage.of(
                options.choice(
                    "document-storage",
                    "toast-compressed",
                    List.of("toast-compressed", "toast-uncompressed", "no-toast"))),
            options.choice("compression", SERVERS_DEFAULT, List.of(SERVERS_DEFAULT, "pglz", "lz4")),
            options.flag("checkpoint-after-load", false));
    options.rejectUnknown();
    if (!schema.distributed()) {
      for (String key : List.of("shard-count", "colocate-with", "replication-factor")) {
        if (options.has(key)) {
          throw new ConfigException(
              options.pathOf(key), "needs 'distribution: id' or 'distribution: filter1'");
        }
      }
    }
    if (options.has("shard-count") && schema.colocatedWithTable()) {
      throw new ConfigException(
          options.pathOf("shard-count"),
          "cannot be set with 'colocate-with': the other table determines it");
    }
    if (schema.storage != DocumentStorage.TOAST_COMPRESSED
        && !schema.compression.equals(SERVERS_DEFAULT)) {
      throw new ConfigException(
          options.pathOf("compression"), "needs 'document-storage: toast-compressed'");
    }
    return schema;
  }

  private static String distribution(Options options) {
    String column = options.text("distribution", NONE);
    if (OTHER_COLUMNS.contains(column)) {
      throw new ConfigException(
          options.pathOf("distribution"),
          "column "
              + column
              + " is not in the primary key (id, filter1), which Citus requires of a"
              + " distribution column; use id or filter1");
    }
    return options.choice("distribution", NONE, List.of(NONE, "id", "filter1"));
  }

  /** Whether Citus is asked to distribute the table. */
  public boolean distributed() {
    return !distribution.equals(NONE);
  }

  /** Whether a table for co-location is named. */
  boolean colocatedWithTable() {
    return !colocateWith.equals(SERVERS_DEFAULT) && !colocateWith.equals(NONE);
  }
}
