package io.shardload.driver.mongodb.monitoring;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.monitoring.Reading;
import io.shardload.monitoring.ServerMonitor;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.bson.BsonDocument;

/**
 * A fake sharded cluster, each server of it on a socket of its own: two routers, a config server,
 * two shards of two members. Its answers are {@link Replies}; no MongoDB runs.
 */
final class MonitoredCluster implements AutoCloseable {
  static final String VERSION = "8.0.4";

  private static final String NOW = "localTime: {$date: '2026-11-22T10:00:00Z'}";
  private static final String FOLLOWS =
      ", secondary: true, isWritablePrimary: false, ismaster: false";

  /** The servers by the names that they have in a real cluster; the fake ones have addresses. */
  final Map<String, FakeRouter> servers = new LinkedHashMap<>();

  /** Server and command, as {@code db1:27018 serverStatus}, with what is answered instead. */
  final Map<String, String> answers = new ConcurrentHashMap<>();

  MonitoredCluster() {
    for (String router : List.of("router1:27017", "router2:27017")) {
      add(router);
      servers.get(router).says("msg: 'isdbgrid', " + NOW);
    }
    List.of("config1:27019", "db1:27018", "db2:27018", "db3:27018", "db4:27018").forEach(this::add);
    member("config1:27019", "configRs", List.of("config1:27019"), ", configsvr: 2");
    for (String set : List.of("shard1rs", "shard2rs")) {
      List<String> members =
          set.equals("shard1rs")
              ? List.of("db1:27018", "db2:27018")
              : List.of("db3:27018", "db4:27018");
      member(members.get(0), set, members, "");
      member(members.get(1), set, members, FOLLOWS);
    }
  }

  private void add(String name) {
    servers.put(name, FakeRouter.router(VERSION, command -> answer(name, command)));
  }

  /** Makes a server a member of a replica set. */
  void member(String name, String set, List<String> members, String fields) {
    List<String> addresses = members.stream().map(member -> "'" + address(member) + "'").toList();
    servers
        .get(name)
        .says(
            "setName: '%s', me: '%s', hosts: %s, %s%s"
                .formatted(set, address(name), addresses, NOW, fields));
  }

  String address(String name) {
    return servers.get(name).address();
  }

  /** Opens a monitor on servers by their names. */
  ServerMonitor open(String... names) {
    String hosts = String.join(",", List.of(names).stream().map(this::address).toList());
    return openUrl("mongodb://" + hosts + "/shardload", "sharded");
  }

  static ServerMonitor openUrl(String url, String topology) {
    JsonObject options =
        JsonParser.parseString("{\"topology\": \"" + topology + "\"}").getAsJsonObject();
    TargetConfig config = new TargetConfig("test", "mongodb", "", url, "", "", options);
    return TestDatabases.driver("mongodb").monitor(config);
  }

  /** With the servers' names in place of the fake ones' addresses. */
  List<Reading> named(List<Reading> readings) {
    return readings.stream()
        .map(
            reading -> {
              Map<String, String> labels = new TreeMap<>(reading.labels());
              labels.replaceAll((label, value) -> named(value));
              return new Reading(
                  reading.name(), reading.kind(), reading.help(), labels, reading.value());
            })
        .toList();
  }

  String named(String text) {
    String named = text;
    for (Map.Entry<String, FakeRouter> server : servers.entrySet()) {
      named = named.replace(server.getValue().address(), server.getKey());
    }
    return named;
  }

  private String answer(String server, BsonDocument command) {
    String name = command.getFirstKey();
    String set = answers.get(server + " " + name);
    if (set != null) {
      return set;
    }
    return server.startsWith("router") ? router(name, command) : member(server, name, command);
  }

  private String router(String name, BsonDocument command) {
    return switch (name) {
      case "serverStatus" -> filled("serverStatus-mongos-8.0.json");
      case "listShards" ->
          filled(
              "{shards: [{_id: 'shard1', host: 'shard1rs/DB1,DB2', state: 1},"
                  + " {_id: 'shard2', host: 'shard2rs/DB3,DB4', state: 1}], ok: 1}",
              Map.of());
      case "find" ->
          FakeRouter.rows("{_id: 'shardload.data_table', uuid: {$uuid: '" + UUID + "'}}");
      case "aggregate" -> counts(command.getString("aggregate").getValue());
      case "dbStats" -> filled("dbStats-mongos.json");
      case "balancerStatus" -> "{mode: 'full', inBalancerRound: false, ok: 1}";
      default -> unknown(name);
    };
  }

  private static final String UUID = "0f6a1c5e-7a1b-4c53-9e0e-2f4f5f1d9a01";

  private static String counts(String collection) {
    return collection.equals("chunks")
        ? FakeRouter.rows("{_id: 'shard1', count: 12}", "{_id: 'shard2', count: 11}")
        : FakeRouter.rows("{_id: 'moveChunk.commit', count: 4}");
  }

  private String member(String server, String name, BsonDocument command) {
    return switch (name) {
      case "serverStatus" -> filled("serverStatus-mongod-8.0.json");
      case "replSetGetStatus" -> replicaSetStatus(server);
      case "find" ->
          FakeRouter.rows(
              command.getDocument("sort").getInt32("$natural").getValue() == 1
                  ? "{ts: {$timestamp: {t: 1795000000, i: 1}}}"
                  : "{ts: {$timestamp: {t: 1795090000, i: 3}}}");
      case "dbStats" -> "{dataSize: 5000.0, storageSize: 3000.0, indexSize: 1000.0, ok: 1}";
      default -> unknown(name);
    };
  }

  private String replicaSetStatus(String server) {
    if (server.startsWith("config")) {
      return "{set: 'configRs', members: [], ok: 1}";
    }
    boolean first = server.equals("db1:27018");
    return filled(
        Replies.text("replSetGetStatus.json"),
        Map.of(
            "\"SET\"", first ? "'shard1rs'" : "'shard2rs'",
            "\"name\": \"PRIMARY\"", "name: '" + address(server) + "'",
            "\"name\": \"SECONDARY\"",
                "name: '" + address(first ? "db2:27018" : "db4:27018") + "'"));
  }

  private static String unknown(String command) {
    return "{ok: 0, code: 59, errmsg: 'no such command: " + command + "'}";
  }

  private String filled(String resource) {
    return filled(Replies.text(resource), Map.of());
  }

  private String filled(String text, Map<String, String> words) {
    String filled = text;
    for (Map.Entry<String, String> word : words.entrySet()) {
      filled = filled.replace(word.getKey(), word.getValue());
    }
    filled = filled.replace("CONFIG1", address("config1:27019"));
    for (int i = 1; i <= 4; i++) {
      filled = filled.replace("DB" + i, address("db" + i + ":27018"));
    }
    return filled;
  }

  @Override
  public void close() {
    servers.values().forEach(FakeRouter::close);
  }
}
