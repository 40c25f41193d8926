package io.shardload.driver.mongodb;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.ReadConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import com.mongodb.connection.ServerDescription;
import io.shardload.driver.ServerInfo;
import io.shardload.workload.CallFailure;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/** What the server tells of itself and of who is connected. */
final class ServerFacts {
  private static final long LOOK_EVERY_MILLIS = 50;

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

  private static final int UNAUTHORIZED = 13;

  private final Connections connections;
  private final ServerKind kind;
  private final Set<String> unreached = new TreeSet<>();

  ServerFacts(Connections connections, ServerKind kind) {
    this.connections = connections;
    this.kind = kind;
  }

  ServerInfo read() {
    // Others answer some of these commands, but with nothing of their own.
    Map<String, String> settings = kind.mongodb() ? settings() : Map.of();
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
        at(parameters, "featureCompatibilityVersion.version"));
    BsonDocument hello = ask("hello");
    if (hello.containsKey("hosts")) {
      settings.put("members", "" + hello.getArray("hosts").size());
    }
    put(settings, "maxWireVersion", hello.get("maxWireVersion"));
    put(settings, "setName", hello.get("setName"));
    BsonDocument status = ask("serverStatus");
    put(settings, "storageEngine.name", at(status, "storageEngine.name"));
    put(
        settings,
        "wiredTiger.cache.maximum-bytes",
        at(status, "wiredTiger.cache.maximum bytes configured"));
    BsonDocument concerns = ask("getDefaultRWConcern");
    put(settings, "defaultReadConcern", at(concerns, "defaultReadConcern.level"));
    put(settings, "defaultWriteConcern", at(concerns, "defaultWriteConcern.w"));
    return settings;
  }

  /** What its file and command line say: everything else has the product's default. */
  private Map<String, String> changed() {
    Map<String, String> changed = new TreeMap<>();
    BsonDocument parsed = ask("getCmdLineOpts").getDocument("parsed", new BsonDocument());
    for (String option : OPTIONS) {
      put(changed, option, at(parsed, option));
    }
    for (String parameter : PARAMETERS) {
      put(changed, "setParameter." + parameter, at(parsed, "setParameter." + parameter));
    }
    return changed;
  }

  private String durability() {
    if (kind.fake()) {
      return "none: a fake that keeps everything in memory";
    }
    String asked = connections.settings().durability();
    return kind.ferretdb() ? "that of its PostgreSQL (it ignores " + asked + ")" : asked;
  }

  private String uniqueness() {
    String together = "id and filter1 together (unique index data_table_id_filter1)";
    return kind.sharded()
        ? together + "; _id, which is filter1, on each shard only, for it is not the shard key"
        : together + "; _id, which is filter1";
  }

  /** Empty where the server does not know the command, or does not let this user ask. */
  private BsonDocument ask(String command) {
    return ask(command, new BsonInt32(1));
  }

  private BsonDocument ask(String command, BsonValue argument) {
    try {
      return admin().runCommand(new BsonDocument(command, argument), BsonDocument.class);
    } catch (MongoCommandException e) {
      return new BsonDocument();
    }
  }

  private MongoDatabase admin() {
    return connections.recordClient().getDatabase("admin");
  }

  private static BsonValue at(BsonDocument document, String path) {
    BsonValue value = document;
    for (String name : path.split("\\.", -1)) {
      value = value != null && value.isDocument() ? value.asDocument().get(name) : null;
    }
    return value;
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

  /**
   * Two looks in a row must find nobody. FerretDB 1.24 answers {@code currentOp} with nothing
   * whatever runs, and mongo-java-server does not know it: there, the wait lasts the statement
   * timeout, and {@link #unseen} says so beside the result.
   */
  boolean awaitQuiet(String applicationName, Duration atMost) throws CallFailure {
    long begin = System.nanoTime();
    try {
      if (!kind.listsOperations()) {
        Duration wait = connections.session().statementTimeout();
        Thread.sleep(Math.min(wait.toMillis(), atMost.toMillis()));
        return wait.compareTo(atMost) <= 0;
      }
      int quietLooks = 0;
      while (true) {
        quietLooks = anybody(applicationName) ? 0 : quietLooks + 1;
        if (quietLooks == 2) {
          return true;
        }
        if (System.nanoTime() - begin > atMost.toNanos()) {
          return false;
        }
        Thread.sleep(LOOK_EVERY_MILLIS);
      }
    } catch (MongoException e) {
      throw Failures.ofStatement(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** What the wait above does not see. */
  String unseen() {
    if (!unreached.isEmpty()) {
      return "who is connected to %s could not be asked".formatted(String.join(", ", unreached));
    }
    return kind.listsOperations()
        ? ""
        : "%s does not tell who is connected, so before the documents were read only the statement timeout (%d ms) was waited for"
            .formatted(kind.title(), connections.session().statementTimeout().toMillis());
  }

  /**
   * Idle connections count too: whoever is connected may write again. A host that is down is left
   * out, and {@link #unseen} names it.
   */
  private boolean anybody(String applicationName) {
    Set<String> hosts = members();
    unreached.clear();
    for (String host : hosts) {
      try (MongoClient client = connections.direct(host)) {
        if (connected(client, applicationName, kind.sharded())
            // What a router began on the shards goes on there.
            || (kind.sharded() && connected(client, applicationName, false))) {
          return true;
        }
      } catch (MongoTimeoutException e) {
        unreached.add(host);
        if (unreached.size() == hosts.size()) {
          throw e;
        }
      }
    }
    return false;
  }

  /**
   * The hosts of the URL, and those that they name: a URL need not name all of a replica set. Those
   * that take no statements, such as arbiters, are not asked, and would not answer.
   */
  Set<String> members() {
    Set<String> all = new LinkedHashSet<>(connections.hosts());
    for (ServerDescription server :
        connections.recordClient().getClusterDescription().getServerDescriptions()) {
      String host = server.getAddress().toString();
      if (Pools.takesStatements(server)) {
        all.add(host);
      } else if (server.isOk()) {
        all.remove(host);
      }
    }
    return all;
  }

  private static boolean connected(MongoClient client, String applicationName, boolean local) {
    try {
      return connected(client, applicationName, local, true);
    } catch (MongoCommandException e) {
      if (e.getErrorCode() != UNAUTHORIZED) {
        throw e;
      }
      // Others' operations are for privileged users; those of the generators are this user's own.
      return connected(client, applicationName, local, false);
    }
  }

  private static boolean connected(
      MongoClient client, String applicationName, boolean local, boolean allUsers) {
    BsonDocument options =
        new BsonDocument("allUsers", BsonBoolean.valueOf(allUsers))
            .append("idleConnections", BsonBoolean.TRUE)
            .append("idleSessions", BsonBoolean.FALSE);
    if (local) {
      options.append("localOps", BsonBoolean.TRUE);
    }
    return client
            .getDatabase("admin")
            // The only concern that this stage takes.
            .withReadConcern(ReadConcern.LOCAL)
            .aggregate(
                List.of(
                    new BsonDocument("$currentOp", options),
                    new BsonDocument(
                        "$match", new BsonDocument("appName", new BsonString(applicationName))),
                    new BsonDocument("$limit", new BsonInt32(1))),
                BsonDocument.class)
            .first()
        != null;
  }
}
