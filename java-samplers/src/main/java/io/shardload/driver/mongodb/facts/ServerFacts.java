package io.shardload.driver.mongodb.facts;

import io.shardload.bundle.Durability;
import io.shardload.bundle.Durability.Level;
import io.shardload.driver.ServerInfo;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.Settings;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonValue;

/** The server's information about itself. */
public record ServerFacts(Connections connections, ServerKind kind) {
  /** An allow-list: other options name files and hold secrets. */
  private static final List<String> OPTIONS =
      List.of(
          "storage.engine",
          "storage.wiredTiger.engineConfig.cacheSizeGB",
          "storage.wiredTiger.engineConfig.journalCompressor",
          "storage.wiredTiger.collectionConfig.blockCompressor",
          "storage.wiredTiger.indexConfig.prefixCompression",
          "storage.journal.commitIntervalMs",
          "storage.syncPeriodSecs",
          "replication.oplogSizeMB",
          "replication.enableMajorityReadConcern",
          "sharding.clusterRole",
          "net.compression.compressors",
          "net.maxIncomingConnections",
          "security.authorization");

  /** An allow-list of {@code getParameter}, whose other parameters may hold credentials. */
  private static final List<String> PARAMETERS =
      List.of(
          "ShardingTaskExecutorPoolMaxConnecting",
          "ShardingTaskExecutorPoolMaxSize",
          "ShardingTaskExecutorPoolMinSize",
          "enableFlowControl",
          "internalQueryFrameworkControl",
          "journalCommitInterval",
          "storageEngineConcurrencyAdjustmentAlgorithm",
          "syncdelay",
          "taskExecutorPoolSize",
          "transactionLifetimeLimitSeconds",
          "ttlMonitorEnabled",
          "wiredTigerConcurrentReadTransactions",
          "wiredTigerConcurrentWriteTransactions",
          "writePeriodicNoops");

  public ServerInfo read() {
    // Others answer some of these commands, but with nothing of their own.
    Map<String, String> settings =
        kind.mongodb() ? settings() : kind.ferretdb() ? behind() : Map.of();
    Map<String, String> changed = kind.mongodb() ? changed() : Map.of();
    String uniqueness =
        kind.sharded()
            ? "of a unique index that begins with the shard key; of any other, and of _id, on each shard only"
            : "of unique indexes and of _id";
    return new ServerInfo(kind.name(), kind.version(), settings, changed, durability(), uniqueness);
  }

  private Map<String, String> settings() {
    Map<String, String> settings = new TreeMap<>();
    BsonDocument parameters =
        Bson.answer(connections.recordClient(), "getParameter", new BsonString("*"));
    PARAMETERS.forEach(one -> put(settings, one, parameters, one));
    put(settings, "featureCompatibilityVersion", parameters, "featureCompatibilityVersion.version");
    BsonDocument hello = ask("hello");
    if (hello.containsKey("hosts")) {
      settings.put("members", "" + hello.getArray("hosts").size());
    }
    put(settings, "maxWireVersion", hello, "maxWireVersion");
    put(settings, "setName", hello, "setName");
    BsonDocument status = ask("serverStatus");
    put(settings, "storageEngine.name", status, "storageEngine.name");
    String cache = "wiredTiger.cache.maximum bytes configured";
    put(settings, "wiredTiger.cache.maximum-bytes", status, cache);
    BsonDocument concerns = ask("getDefaultRWConcern");
    put(settings, "defaultReadConcern", concerns, "defaultReadConcern.level");
    put(settings, "defaultWriteConcern", concerns, "defaultWriteConcern.w");
    return settings;
  }

  /** What FerretDB 2 was built from and what is behind it; FerretDB 1 names neither. */
  private Map<String, String> behind() {
    Map<String, String> settings = new TreeMap<>();
    BsonDocument parts = Bson.child(ask("serverStatus"), "ferretdb");
    parts.keySet().forEach(part -> put(settings, part, parts, part));
    return settings;
  }

  /** Those of its configuration file and command line: all others have the product's defaults. */
  private Map<String, String> changed() {
    Map<String, String> changed = new TreeMap<>();
    BsonDocument parsed = ask("getCmdLineOpts").getDocument("parsed", new BsonDocument());
    OPTIONS.forEach(one -> put(changed, one, parsed, one));
    PARAMETERS.forEach(one -> put(changed, "setParameter." + one, parsed, "setParameter." + one));
    return changed;
  }

  private String durability() {
    if (kind.fake()) {
      return "none: a fake that keeps everything in memory";
    }
    String asked = connections.settings().durability();
    if (kind.ferretdb()) {
      return "the durability of its PostgreSQL (it ignores " + asked + ")";
    }
    return kind.mongodb()
        ? asked
        : asked + " was requested; whether " + kind.name() + " honours it is not known";
  }

  /** What a write waits for, where the server is known to support it. */
  public Durability acknowledgement() {
    String asked = connections.settings().durability();
    if (kind.fake()) {
      return new Durability(Level.MEMORY, "a fake that keeps everything in memory");
    }
    if (!kind.mongodb()) {
      return Durability.unknown(durability());
    }
    if (Bson.at(ask("serverStatus"), "storageEngine.persistent") instanceof BsonBoolean persistent
        && !persistent.getValue()) {
      return new Durability(Level.MEMORY, asked + ": the storage engine keeps nothing on a disk");
    }
    int members =
        new ClusterServers(connections, kind)
            .topology()
            .map(found -> found.members() / Math.max(1, found.shards()))
            .orElse(0);
    return acknowledgement(connections.settings(), members);
  }

  /**
   * By the effective write concern.
   *
   * @param members of a shard, or of the replica set; 0 if they are not known
   */
  static Durability acknowledgement(Settings settings, int members) {
    String asked = settings.durability();
    if (!settings.journal()) {
      return new Durability(Level.MEMORY, asked);
    }
    if (members == 1) {
      return new Durability(Level.ONE_DISK, asked + ", one server");
    }
    if (settings.members() == 0) {
      return new Durability(Level.MAJORITY_OF_DISKS, asked);
    }
    boolean most = 2 * settings.members() > members && members > 0;
    String of = members > 0 ? " of " + members + " members" : ", members not known";
    return new Durability(most ? Level.MAJORITY_OF_DISKS : Level.ONE_DISK, asked + of);
  }

  /**
   * Without its fields where the server does not know the command, or does not let this user ask.
   */
  private BsonDocument ask(String command) {
    return Bson.answer(connections.recordClient(), command);
  }

  /** What a text, a number or a flag at a path says; other values count as missing. */
  private static void put(
      Map<String, String> settings, String name, BsonDocument answer, String path) {
    BsonValue value = Bson.at(answer, path);
    if (value instanceof BsonString text) {
      settings.put(name, text.getValue());
    } else if (value instanceof BsonNumber number) {
      settings.put(name, "" + number.longValue());
    } else if (value instanceof BsonBoolean flag) {
      settings.put(name, "" + flag.getValue());
    }
  }
}
