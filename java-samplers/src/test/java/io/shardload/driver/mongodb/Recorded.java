package io.shardload.driver.mongodb;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import com.mongodb.MongoCommandException;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.client.Bson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.junit.jupiter.api.TestInfo;

/**
 * Exchanges with a real cluster, one file per case: the server, then each request with its reply.
 * They are replayed, each request as recorded, unless a cluster is named to record them from. Those
 * of a MongoDB 4.0.3 are from a build that announces wire version 8: the driver takes no lower one.
 */
public final class Recorded {
  /** A router of the cluster to record from, or null. */
  private static final String ORIGIN = System.getProperty("shardload.record");

  private static final Path FOLDER = Path.of("src", "test", "resources", "mongodb");
  private static final JsonWriterSettings SHELL =
      JsonWriterSettings.builder().outputMode(JsonMode.SHELL).build();

  /** What a cluster adds to every reply, what describes the machine, and statistics. */
  private static final Set<String> LEFT_OUT =
      Set.of(
          "$clusterTime",
          "buildEnvironment",
          "clientMetadata",
          "indexDetails",
          "openssl",
          "operationTime",
          "serverInfo",
          "sysInfo");

  private Recorded() {}

  /** The name of a test's exchange: its method, and which of its parameters. */
  public static String name(TestInfo test) {
    return test.getTestMethod().orElseThrow().getName()
        + test.getDisplayName().replaceFirst("^\\[(\\d+)].*|.*", "$1");
  }

  /** Replays an exchange, or records it. */
  public static FakeRouter exchange(String name) {
    return exchange(name, text -> text);
  }

  /** Replays an exchange with what it lacks, or records it. */
  public static FakeRouter exchange(String name, UnaryOperator<String> completed) {
    return ORIGIN == null ? replay(name, completed) : record(name);
  }

  /** The URL of the real cluster while it is recorded, of the replay otherwise. */
  public static String origin(FakeRouter replay) {
    return ORIGIN == null ? replay.url("") : ORIGIN;
  }

  /** A clock that a replay does not wait on. */
  public static Clock clock(Clock replay) {
    return ORIGIN == null ? replay : Clock.SYSTEM;
  }

  /**
   * Replays an exchange.
   *
   * @param change makes another case of the text of the exchange
   */
  public static FakeRouter replay(String name, UnaryOperator<String> change) {
    List<String> lines = change.apply(read(FOLDER.resolve(name + ".json"))).lines().toList();
    BsonDocument server = BsonDocument.parse(lines.get(0));
    String hello = json(server, "hello");
    FakeRouter router = new FakeRouter(json(server, "buildInfo"), () -> hello, null);
    for (String line : lines.subList(1, lines.size())) {
      BsonDocument one = BsonDocument.parse(line);
      String database = one.getString("database").getValue();
      router.expect(database, json(one, "request"), json(one, "reply"));
    }
    return router;
  }

  private static FakeRouter record(String name) {
    MongoClient client = MongoClients.create(ORIGIN);
    Path file = FOLDER.resolve(name + ".json");
    BsonDocument build = run(client, "admin", BsonDocument.parse("{buildInfo: 1}"));
    Supplier<BsonDocument> hello = () -> run(client, "admin", BsonDocument.parse("{hello: 1}"));
    write(
        file, new BsonDocument("buildInfo", build).append("hello", hello.get()), TRUNCATE_EXISTING);
    return new FakeRouter(
        build.toJson(SHELL),
        () -> hello.get().toJson(SHELL),
        command -> {
          String database = command.getString("$db").getValue();
          BsonDocument request = FakeRouter.own(command);
          BsonDocument reply = run(client, database, request);
          write(
              file,
              new BsonDocument("database", new BsonString(database))
                  .append("request", request)
                  .append("reply", reply),
              APPEND);
          return reply.toJson(SHELL);
        });
  }

  private static BsonDocument run(MongoClient client, String database, BsonDocument request) {
    BsonDocument own = request.clone();
    BsonValue mode = Bson.child(own, "$readPreference").get("mode", new BsonString("primary"));
    own.remove("$readPreference");
    ReadPreference preference = ReadPreference.valueOf(mode.asString().getValue());
    BsonDocument reply;
    try {
      reply = client.getDatabase(database).runCommand(own, preference, BsonDocument.class);
    } catch (MongoCommandException e) {
      reply = e.getResponse();
    }
    return leaveOut(BsonDocument.parse(reply.toJson(SHELL).replaceAll(machine(), "db1")));
  }

  private static BsonDocument leaveOut(BsonDocument reply) {
    reply.keySet().removeAll(LEFT_OUT);
    reply.computeIfPresent(
        "wiredTiger",
        (name, all) -> new BsonDocument("creationString", all.asDocument().get("creationString")));
    reply
        .values()
        .forEach(
            value -> {
              if (value.isDocument()) {
                leaveOut(value.asDocument());
              } else if (value.isArray()) {
                value.asArray().stream()
                    .filter(BsonValue::isDocument)
                    .forEach(one -> leaveOut(one.asDocument()));
              }
            });
    return reply;
  }

  private static String machine() {
    try {
      return "\\b" + Pattern.quote(InetAddress.getLocalHost().getHostName()) + "\\b";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String json(BsonDocument document, String name) {
    return document.getDocument(name).toJson(SHELL);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Path file, BsonDocument line, OpenOption option) {
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, line.toJson(SHELL) + "\n", CREATE, WRITE, option);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
