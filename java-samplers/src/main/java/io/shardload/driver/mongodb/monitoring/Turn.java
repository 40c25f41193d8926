package io.shardload.driver.mongodb.monitoring;

import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoServerException;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.ClusterCatalog.Shard;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.facts.ClusterServers;
import io.shardload.monitoring.LoadSessions;
import io.shardload.monitoring.Role;
import io.shardload.monitoring.Sheet;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonValue;

/** Asks one server all its questions, once. */
final class Turn {
  private static final int UNAUTHORIZED = 13;

  /**
   * The result of one server's turn.
   *
   * @param refusal why the server did not answer, or empty if it did
   * @param key of the configuration that needs to change
   * @param found servers of the cluster that it names
   * @param namesAll whether these are all that it knows, and nothing was refused
   */
  record Report(Sheet sheet, String refusal, String key, List<Found> found, boolean namesAll) {
    /** A server that did not answer. */
    static Report down(Server server, String key, String refusal) {
      return new Report(server.sheet().down(refusal), refusal, key, List.of(), false);
    }

    boolean up() {
      return refusal.isEmpty();
    }
  }

  /**
   * A server that another one names.
   *
   * @param role null if only the server itself can say
   */
  record Found(String name, String group, Role role) {}

  private final Server server;
  private final String database;
  private final boolean speaksForCluster;
  private final String application;
  private final List<Found> found = new ArrayList<>();
  private boolean namesAll = true;
  private Sheet sheet;

  /**
   * @param speaksForCluster whether this router is also asked what concerns the whole cluster
   * @param application whose sessions alone are of interest; null for all metrics
   */
  Turn(Server server, String database, boolean speaksForCluster, String application) {
    this.server = server;
    this.database = database;
    this.speaksForCluster = speaksForCluster;
    this.application = application;
  }

  Report take() {
    try {
      server.requireReachable();
      ServerKind kind = server.kind();
      switch (kind.product()) {
        case ROUTER -> router(server.ask("hello"));
        case REPLICA_SET -> member(server.ask("hello"));
        default -> single(kind);
      }
      sheet.up(kind.mongodb() ? kind.version() : kind.title());
      return new Report(sheet, "", "", found, namesAll);
    } catch (MongoException e) {
      server.forgetKind();
      return refusal(e);
    }
  }

  /** What the server is called and what it is, from which its sheet follows. */
  private void is(String name, Role role) {
    server.is(name, role);
    sheet = server.sheet();
  }

  private void router(BsonDocument hello) {
    is(server.name(), Role.ROUTER);
    if (application == null) {
      namesAll = part("status", this::routerStatus);
    } else {
      sessions();
    }
    if (speaksForCluster) {
      List<Shard> shards = new ArrayList<>();
      namesAll &= part("shards", () -> shards.addAll(shards()));
      shards.forEach(shard -> find(shard.host(), shard.name(), Role.SHARD));
      if (application == null) {
        cluster(hello, shards);
      }
    }
  }

  private void routerStatus() {
    BsonDocument status = server.serverStatus();
    StatusMetrics.add(status, sheet);
    String config = Bson.text(Bson.child(status, "sharding"), "configsvrConnectionString");
    find(config, "config", Role.CONFIG);
  }

  private void cluster(BsonDocument hello, List<Shard> shards) {
    ClusterMetrics metrics = new ClusterMetrics(sheet);
    part(
        "chunks",
        () -> metrics.addChunks(shards, server.rarely("chunks", () -> server.chunks(database))));
    part("sizes", () -> metrics.addShardSizes(shards, databaseStats()));
    part(
        "migrations",
        () -> {
          BsonValue now = hello.get("localTime");
          metrics.addMigrations(
              server.rarely("migrations", () -> server.migrations().read(now, server::migrations)));
        });
    part("balancer", () -> metrics.addBalancer(server.ask("balancerStatus")));
  }

  private void member(BsonDocument hello) {
    String me = Bson.text(hello, "me");
    boolean primary = Bson.isTrue(hello, "isWritablePrimary");
    is(me.isEmpty() ? server.name() : me, role(hello, primary));
    String group = server.group().isEmpty() ? Bson.text(hello, "setName") : server.group();
    Role roleOfAll = server.hasRoleInCluster() ? server.role() : null;
    ClusterServers.members(hello).forEach(host -> found.add(new Found(host, group, roleOfAll)));
    if (application != null) {
      sessions();
      return;
    }
    ClusterMetrics metrics = new ClusterMetrics(sheet);
    metrics.addMember(hello);
    status();
    if (primary) {
      part("replication", () -> metrics.addLag(server.ask("replSetGetStatus")));
    }
    part("oplog", () -> metrics.addOplog(server.oplogEnd(1), server.oplogEnd(-1)));
    if (primary && !server.hasRoleInCluster()) {
      sizes();
    }
  }

  private Role role(BsonDocument hello, boolean primary) {
    if (server.hasRoleInCluster()) {
      return server.role();
    }
    if (hello.containsKey("configsvr")) {
      return Role.CONFIG;
    }
    return primary ? Role.PRIMARY : Role.REPLICA;
  }

  private void single(ServerKind kind) {
    is(server.name(), Role.PRIMARY);
    if (application == null) {
      alone(kind);
    } else if (kind.mongodb()) {
      sessions();
    } else {
      sheet.lacks("sessions", kind.name() + " does not report what sessions do");
    }
  }

  private void alone(ServerKind kind) {
    if (kind.ferretdb()) {
      part("status", () -> StatusMetrics.ofFerretdb(server.serverStatus(), sheet));
      sheet.lacks("connections", "FerretDB does not report them");
      sheet.lacks(
          "sizes",
          "FerretDB analyzes its tables for every such request; query its PostgreSQL for their"
              + " sizes");
      return;
    }
    status();
    if (kind.mongodb()) {
      sizes();
    } else if (kind.fake()) {
      sheet.lacks("sizes", kind.name() + " does not report bytes");
    } else {
      sheet.lacks("sizes", "whether the sizes of " + kind.name() + " are bytes is not known");
    }
  }

  /** They hardly change, so a look at sessions, which is often, does not ask for them each time. */
  private List<Shard> shards() {
    return application == null ? server.shards() : server.rarely("shards", server::shards);
  }

  private void sessions() {
    part(
        "sessions",
        () -> {
          server
              .sessions(application)
              .forEach(
                  (doing, n) ->
                      sheet.gauge(LoadSessions.NAME, LoadSessions.HELP, n, "doing", doing.label()));
          long asked = System.nanoTime();
          server.ask("hello");
          sheet.gauge(
              LoadSessions.ROUND_TRIP,
              LoadSessions.ROUND_TRIP_HELP,
              (System.nanoTime() - asked) / 1e9);
        });
  }

  private void status() {
    part("status", () -> StatusMetrics.add(server.serverStatus(), sheet));
  }

  private void sizes() {
    part("sizes", () -> new ClusterMetrics(sheet).addSizes(databaseStats()));
  }

  private BsonDocument databaseStats() {
    return server.rarely("sizes", () -> server.databaseStats(database));
  }

  /** The members in {@code set/host:port,host:port}. */
  private void find(String connection, String group, Role role) {
    ClusterCatalog.members(connection).forEach(name -> found.add(new Found(name, group, role)));
  }

  /**
   * Asks for one part; what the server refuses is left out. A lost connection ends the whole turn.
   *
   * @return whether the server answered
   */
  private boolean part(String name, Runnable question) {
    try {
      question.run();
      sheet.has(name);
      return true;
    } catch (MongoServerException e) {
      if (Failures.postgresqlRefused(e)) {
        throw e;
      }
      sheet.lacks(
          name,
          Failures.code(e) == UNAUTHORIZED
              ? "this user may not read it; the role clusterMonitor on admin allows it"
              : Failures.firstLine(e));
    } catch (BsonInvalidOperationException e) {
      sheet.lacks(name, "the answer has an unexpected form: " + e.getMessage());
    } catch (MongoExecutionTimeoutException e) {
      sheet.lacks(name, "takes longer than " + Server.LIMIT.toSeconds() + " s");
    }
    return false;
  }

  private Report refusal(MongoException e) {
    String kind = Failures.connectKind(e);
    if (kind.equals("login-refused")) {
      return Report.down(
          server,
          "target.password-env",
          server.title() + " refuses the login: check user, password and auth-mechanism");
    }
    boolean silent = kind.equals("no-server") || kind.equals("connect-timeout");
    return Report.down(
        server,
        ServerUrl.KEY,
        "%s is not reachable from here: %s"
            .formatted(server.title(), silent ? "no answer in time" : kind.replace('-', ' ')));
  }
}
