package io.shardload.driver.mongodb.facts;

import com.mongodb.MongoCommandException;
import io.shardload.driver.Durability;
import io.shardload.driver.Durability.Level;
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
import org.bson.BsonInt32;
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
    return new ServerInfo(
        kind.name(), kind.version(), settings, changed, durability(), uniqueness());
  }

  private Map<String, String> settings() {
    Map<String, String> settings = new TreeMap<>();
    BsonDocument parameters = ask("getParameter", new BsonString("*"));
    for (String parameter : PARAMETERS) {
      put(settings, parameter, parameters.get(parameter));
    }
    put(
        settings,
        "featureCompatibilityVersion",
        Bson.at(parameters, "featureCompatibilityVersion.version"));
    BsonDocument hello = ask("hello");
    if (hello.containsKey("hosts")) {
      settings.put("members", "" + hello.getArray("hosts").size());
    }
    put(settings, "maxWireVersion", hello.get("maxWireVersion"));
    put(settings, "setName", hello.get("setName"));
    BsonDocument status = ask("serverStatus");
    put(settings, "storageEngine.name", Bson.at(status, "storageEngine.name"));
    put(
        settings,
        "wiredTiger.cache.maximum-bytes",
        Bson.at(status, "wiredTiger.cache.maximum bytes configured"));
    BsonDocument concerns = ask("getDefaultRWConcern");
    put(settings, "defaultReadConcern", Bson.at(concerns, "defaultReadConcern.level"));
    put(settings, "defaultWriteConcern", Bson.at(concerns, "defaultWriteConcern.w"));
    return settings;
  }

  /** What FerretDB 2 was built from and what is behind it; FerretDB 1 names neither. */
  private Map<String, String> behind() {
    Map<String, String> settings = new TreeMap<>();
    if (Bson.at(ask("serverStatus"), "ferretdb") instanceof BsonDocument parts) {
      parts.forEach((part, version) -> put(settings, part, version));
    }
    return settings;
  }

  /**
   * The settings in its configuration file and command line: everything else has the product's
   * default.
   */
  private Map<String, String> changed() {
    Map<String, String> changed = new TreeMap<>();
    BsonDocument parsed = ask("getCmdLineOpts").getDocument("parsed", new BsonDocument());
    for (String option : OPTIONS) {
      put(changed, option, Bson.at(parsed, option));
    }
    for (String parameter : PARAMETERS) {
      put(changed, "setParameter." + parameter, Bson.at(parsed, "setParameter." + parameter));
    }
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

  private String uniqueness() {
    return kind.sharded()
        ? "of a unique index that begins with the shard key; of any other, and of _id, on each shard only"
        : "of unique indexes and of _id";
  }

  /** Empty where the server does not know the command, or does not let this user ask. */
  private BsonDocument ask(String command) {
    return ask(command, new BsonInt32(1));
  }

  private BsonDocument ask(String command, BsonValue argument) {
    try {
      return connections
          .recordClient()
          .getDatabase("admin")
          .runCommand(new BsonDocument(command, argument), BsonDocument.class);
    } catch (MongoCommandException e) {
      return new BsonDocument();
    }
  }

  private static void put(Map<String, String> settings, String name, BsonValue value) {
    if (value == null) {
      return;
    }
    if (value.isString()) {
      settings.put(name, value.asString().getValue());
    } else if (value.isNumber()) {
      settings.put(name, "" + value.asNumber().longValue());
    } else if (value.isBoolean()) {
      settings.put(name, "" + value.asBoolean().getValue());
    }
  }
}
