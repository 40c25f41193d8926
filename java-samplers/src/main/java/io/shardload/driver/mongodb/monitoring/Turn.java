package io.shardload.driver.mongodb.monitoring;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoServerException;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.monitoring.LoadSessions;
import io.shardload.monitoring.Role;
import io.shardload.monitoring.Sheet;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInvalidOperationException;
import org.bson.BsonValue;

/** Asks one server all its questions, once. */
final class Turn {
  private static final int UNAUTHORIZED = 13;

  private final Server server;
  private final Commands commands;
  private final String database;
  private final boolean speaksForCluster;
  private final String application;
  private final List<Report.Found> found = new ArrayList<>();
  private boolean namesAll = true;

  /**
   * A turn.
   *
   * @param speaksForCluster whether this router is also asked what concerns the whole cluster
   * @param application whose sessions alone are of interest; null for all metrics
   */
  Turn(Server server, String database, boolean speaksForCluster, String application) {
    this.server = server;
    this.commands = server.commands();
    this.database = database;
    this.speaksForCluster = speaksForCluster;
    this.application = application;
  }

  Report take() {
    try {
      server.requireReachable();
      ServerKind kind = server.kind();
      Sheet sheet = questions(kind);
      sheet.up(kind.mongodb() ? kind.version() : kind.title());
      return new Report(sheet, "", "", found, namesAll);
    } catch (MongoException e) {
      server.forgetKind();
      return refusal(e);
    }
  }

  private Sheet questions(ServerKind kind) {
    return switch (kind.product()) {
      case ROUTER -> router();
      case REPLICA_SET -> member();
      case STANDALONE -> standalone();
      case FERRETDB -> application == null ? ferretdb() : silent(kind);
      case FAKE, AMAZON_DOCUMENTDB, COSMOS_DB, UNKNOWN ->
          application == null ? other(kind) : silent(kind);
    };
  }

  private Sheet router() {
    BsonDocument hello = commands.ask("hello");
    server.is(server.name(), Role.ROUTER);
    Sheet sheet = server.sheet();
    List<BsonDocument> shards = new ArrayList<>();
    if (application != null) {
      sessions(sheet);
      namesAll = !speaksForCluster || part(sheet, "shards", () -> shards.addAll(shards()));
      shards.forEach(shard -> find(Bson.text(shard, "host"), Bson.text(shard, "_id"), Role.SHARD));
      return sheet;
    }
    namesAll =
        part(
            sheet,
            "status",
            () -> {
              BsonDocument status = commands.serverStatus();
              StatusMetrics.add(status, sheet);
              find(
                  Bson.text(Bson.child(status, "sharding"), "configsvrConnectionString"),
                  "config",
                  Role.CONFIG);
            });
    if (speaksForCluster) {
      namesAll &= part(sheet, "shards", () -> shards.addAll(commands.shards()));
      shards.forEach(shard -> find(Bson.text(shard, "host"), Bson.text(shard, "_id"), Role.SHARD));
      cluster(sheet, hello, shards);
    }
    return sheet;
  }

  private void cluster(Sheet sheet, BsonDocument hello, List<BsonDocument> shards) {
    part(
        sheet,
        "chunks",
        () -> {
          Map<String, Long> chunks =
              server.rarely("chunks", () -> commands.chunks(commands.shardedCollections(database)));
          ClusterMetrics.addChunks(shards, chunks, sheet);
        });
    part(sheet, "sizes", () -> ClusterMetrics.addShardSizes(shards, databaseStats(), sheet));
    part(
        sheet,
        "migrations",
        () -> {
          BsonValue now = hello.get("localTime");
          ClusterMetrics.addMigrations(
              server.rarely(
                  "migrations", () -> server.migrations().read(now, commands::migrations)),
              sheet);
        });
    part(
        sheet, "balancer", () -> ClusterMetrics.addBalancer(commands.ask("balancerStatus"), sheet));
  }

  private Sheet member() {
    BsonDocument hello = commands.ask("hello");
    String me = Bson.text(hello, "me");
    boolean primary = ClusterMetrics.isPrimary(hello);
    server.is(me.isEmpty() ? server.name() : me, role(hello, primary));
    Sheet sheet = server.sheet();
    Stream.of("hosts", "passives")
        .flatMap(field -> hello.getArray(field, new BsonArray()).stream())
        .forEach(
            host ->
                found.add(
                    new Report.Found(
                        host.asString().getValue(),
                        server.group().isEmpty() ? Bson.text(hello, "setName") : server.group(),
                        server.hasRoleInCluster() ? server.role() : null)));
    if (application != null) {
      sessions(sheet);
      return sheet;
    }
    ClusterMetrics.addMember(hello, sheet);
    status(sheet);
    if (primary) {
      part(
          sheet,
          "replication",
          () -> ClusterMetrics.addLag(commands.ask("replSetGetStatus"), sheet));
    }
    part(
        sheet,
        "oplog",
        () -> ClusterMetrics.addOplog(commands.oplogEnd(1), commands.oplogEnd(-1), sheet));
    if (primary && !server.hasRoleInCluster()) {
      sizes(sheet);
    }
    return sheet;
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

  private Sheet standalone() {
    server.is(server.name(), Role.PRIMARY);
    Sheet sheet = server.sheet();
    if (application != null) {
      sessions(sheet);
      return sheet;
    }
    status(sheet);
    sizes(sheet);
    return sheet;
  }

  private Sheet silent(ServerKind kind) {
    Sheet sheet = server.sheet();
    sheet.lacks("sessions", kind.name() + " does not report what sessions do");
    return sheet;
  }

  private Sheet other(ServerKind kind) {
    server.is(server.name(), Role.PRIMARY);
    Sheet sheet = server.sheet();
    status(sheet);
    sheet.lacks(
        "sizes",
        kind.fake()
            ? kind.name() + " does not report bytes"
            : "whether the sizes of " + kind.name() + " are bytes is not known");
    return sheet;
  }

  private Sheet ferretdb() {
    server.is(server.name(), Role.PRIMARY);
    Sheet sheet = server.sheet();
    part(sheet, "status", () -> StatusMetrics.ofFerretdb(commands.serverStatus(), sheet));
    sheet.lacks("connections", "FerretDB does not report them");
    sheet.lacks(
        "sizes",
        "FerretDB analyzes its tables for every such request; query its PostgreSQL"
            + " for their sizes");
    return sheet;
  }

  /** The shards hardly change. */
  private List<BsonDocument> shards() {
    return server.rarely("shards", commands::shards);
  }

  private void sessions(Sheet sheet) {
    part(
        sheet,
        "sessions",
        () -> {
          commands
              .sessions(application, server.role())
              .forEach(
                  (doing, n) ->
                      sheet.gauge(LoadSessions.NAME, LoadSessions.HELP, n, "doing", doing.label()));
          long asked = System.nanoTime();
          commands.ask("hello");
          sheet.gauge(
              LoadSessions.ROUND_TRIP,
              LoadSessions.ROUND_TRIP_HELP,
              (System.nanoTime() - asked) / 1e9);
        });
  }

  private void status(Sheet sheet) {
    part(sheet, "status", () -> StatusMetrics.add(commands.serverStatus(), sheet));
  }

  private void sizes(Sheet sheet) {
    part(sheet, "sizes", () -> ClusterMetrics.addSizes(databaseStats(), sheet));
  }

  private BsonDocument databaseStats() {
    return server.rarely("sizes", () -> commands.databaseStats(database));
  }

  /** The members in {@code set/host:port,host:port}; none if the server names none. */
  private void find(String connection, String group, Role role) {
    String members = connection.substring(connection.indexOf('/') + 1);
    if (!members.isEmpty()) {
      Stream.of(members.split(",", -1))
          .forEach(member -> found.add(new Report.Found(member, group, role)));
    }
  }

  /**
   * Asks for one part; what the server refuses is left out. A lost connection ends the whole turn.
   *
   * @return whether the server answered
   */
  private static boolean part(Sheet sheet, String name, Runnable question) {
    try {
      question.run();
      sheet.has(name);
      return true;
    } catch (MongoServerException e) {
      if (e instanceof MongoCommandException answer && Failures.postgresqlRefused(answer)) {
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
      sheet.lacks(name, "takes longer than " + Commands.LIMIT.toSeconds() + " s");
    }
    return false;
  }

  private Report refusal(MongoException e) {
    String kind = Failures.of(e, false).kind();
    boolean byPostgresql =
        e instanceof MongoCommandException answer && Failures.postgresqlRefused(answer);
    if (kind.equals("login-refused") || byPostgresql) {
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
