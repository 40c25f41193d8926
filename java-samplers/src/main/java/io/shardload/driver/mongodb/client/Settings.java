package io.shardload.driver.mongodb.client;

import com.mongodb.ReadConcern;
import com.mongodb.ReadConcernLevel;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Driver;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The section {@code target.options}. Every value is sent or set explicitly, because defaults
 * differ from version to version.
 *
 * @param wTimeout how long a write waits for other members, or empty for the statement timeout
 * @param poolSize connections to each server, or 0 for one per worker
 * @param batchSize documents per answer to a find, or 0 for the server's choice
 * @param compressor of the wire, or {@code none}
 * @param authMechanism by its name in the protocol, or empty for what the server offers
 */
public record Settings(
    Topology topology,
    String readPreference,
    String readConcern,
    String w,
    boolean journal,
    Optional<Duration> wTimeout,
    boolean retryReads,
    boolean retryWrites,
    int poolSize,
    int batchSize,
    String compressor,
    Encryption encryption,
    Duration connectTimeout,
    Duration serverSelectionTimeout,
    String authSource,
    String authMechanism) {
  private static final List<String> TOPOLOGIES = List.of("sharded", "replica-set", "single");
  private static final List<String> READ_PREFERENCES =
      List.of("primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest");
  private static final List<String> READ_CONCERNS =
      List.of("local", "majority", "available", "linearizable");
  // snappy and zstd need native libraries that the plugin does not carry.
  private static final List<String> COMPRESSORS = List.of("none", "zlib");
  private static final List<String> MECHANISMS =
      List.of("", "SCRAM-SHA-1", "SCRAM-SHA-256", Encryption.PLAIN, Encryption.X509);

  /** What the URL leads to. */
  public enum Topology {
    SHARDED,
    REPLICA_SET,
    SINGLE;

    private static Topology of(String word) {
      return valueOf(word.toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    /** The word in a target file. */
    public String word() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * Reads section {@code target.options}.
   *
   * @param local the connection stays on this machine; otherwise it is encrypted, and the server's
   *     identity is verified, unless {@code ssl} explicitly disables this
   */
  public static Settings read(Options options, boolean local) {
    List<String> choices = List.of("pooled", "per-transaction");
    refuse(
        !options.choice("connections", "pooled", choices).equals("pooled"),
        options.pathOf("connections"),
        "per-transaction is not supported for MongoDB: each new client starts threads that"
            + " discover and monitor the cluster; the run would measure this start-up");
    Topology topology = Topology.of(options.choice("topology", "single", TOPOLOGIES));
    Settings settings =
        new Settings(
            topology,
            options.choice("read-preference", "primary", READ_PREFERENCES),
            options.choice("read-concern", "local", READ_CONCERNS),
            options.text("write-concern", topology == Topology.SINGLE ? "1" : "majority"),
            options.flag("journal", true),
            options.has("write-concern-timeout")
                ? Optional.of(options.duration("write-concern-timeout", Duration.ZERO))
                : Optional.empty(),
            options.flag("retry-reads", false),
            options.flag("retry-writes", false),
            (int) options.integer("pool-size", 0, 1, 10_000),
            (int) options.integer("batch-size", 0, 0, 1_000_000),
            options.choice("compressor", "none", COMPRESSORS),
            Encryption.read(options, local),
            Driver.connecting(options, "connect-timeout"),
            Driver.connecting(options, "server-selection-timeout"),
            options.text("auth-source", "admin"),
            options.choice("auth-mechanism", "", MECHANISMS));
    settings.check(options);
    options.rejectUnknown();
    return settings;
  }

  private void check(Options options) {
    boolean secondaries = !readPreference.equals("primary");
    refuse(
        !w.equals("majority") && !w.matches("[1-9]|[1-4][0-9]|50"),
        options.pathOf("write-concern"),
        "'%s' is neither majority nor a number of members from 1 to 50; with 0, no member would acknowledge a write"
            .formatted(w));
    refuse(
        wTimeout.filter(limit -> limit.toMillis() == 0).isPresent(),
        options.pathOf("write-concern-timeout"),
        "is below 1ms, and 0 would mean no limit; leave it out to use the statement timeout");
    refuse(
        readConcern.equals("linearizable") && secondaries,
        options.pathOf("read-concern"),
        "linearizable needs 'read-preference: primary'");
    refuse(
        single() && secondaries,
        options.pathOf("read-preference"),
        readPreference + " has no effect with 'topology: single': all reads go to one server");
    refuse(
        single() && members() > 1,
        options.pathOf("write-concern"),
        w
            + " members cannot acknowledge a write with 'topology: single': there is only one server");
  }

  private static void refuse(boolean wrong, String key, String reason) {
    if (wrong) {
      throw new ConfigException(key, reason);
    }
  }

  /** Whether there is only one server. */
  public boolean single() {
    return topology == Topology.SINGLE;
  }

  /** How many members are to acknowledge a write, or 0 for a majority. */
  public int members() {
    return w.equals("majority") ? 0 : Integer.parseInt(w);
  }

  int poolSizeFor(int workers) {
    return poolSize == 0 ? Math.max(1, workers) : poolSize;
  }

  public ReadPreference preference() {
    return ReadPreference.valueOf(readPreference);
  }

  public ReadConcern concern() {
    return new ReadConcern(ReadConcernLevel.fromString(readConcern));
  }

  /**
   * The write concern of transactions.
   *
   * @param statementTimeout bounds the wait for other members unless the settings do
   */
  WriteConcern acknowledgement(Duration statementTimeout) {
    return (members() == 0 ? WriteConcern.MAJORITY : new WriteConcern(members()))
        .withJournal(journal)
        .withWTimeout(wTimeout.orElse(statementTimeout).toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * The read concern of verification, on primaries: it must find every acknowledged write. A write
   * that some members acknowledged may not have reached a majority yet; {@code majority} would then
   * not show it, as if it were lost. The same applies to the judgement of stale reads during a run.
   */
  public ReadConcern showingAcknowledged() {
    if (single()) {
      return ReadConcern.DEFAULT;
    }
    return members() == 0 ? ReadConcern.MAJORITY : ReadConcern.LOCAL;
  }

  /** Whether a read shows every acknowledged write: primaries alone are read, and hide none. */
  public boolean readsPrimary() {
    boolean latest =
        readConcern.equals("majority") ? members() == 0 : !readConcern.equals("available");
    return latest && readPreference.equals("primary");
  }

  /** The failures that an acknowledged write survives. */
  public String durability() {
    return "w=" + w + ", j=" + journal;
  }

  /** For the run bundle. */
  Map<String, String> describe() {
    Map<String, String> all = new TreeMap<>();
    all.put("topology", topology.word());
    all.put("connections", "pooled");
    all.put("read-preference", readPreference);
    all.put("read-concern", readConcern);
    all.put("write-concern", w);
    all.put("journal", "" + journal);
    all.put("retry-reads", "" + retryReads);
    all.put("retry-writes", "" + retryWrites);
    all.put("batch-size", "" + batchSize);
    all.put("compressor", compressor);
    encryption.describe(all);
    all.put("connect-timeout", connectTimeout.toMillis() + "ms");
    all.put("server-selection-timeout", serverSelectionTimeout.toMillis() + "ms");
    all.put("auth-mechanism", authMechanism.isEmpty() ? "negotiated" : authMechanism);
    return all;
  }
}
