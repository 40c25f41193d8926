package io.shardload.driver;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoDatabase;
import io.shardload.embedded.EmbeddedMongo;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Servers that speak MongoDB's protocol, for tests: one of each kind for the whole test JVM, a
 * fresh database for each test, and a plain client for hand-written BSON that goes past the code
 * under test.
 */
public final class TestMongo {
  private static final AtomicInteger COUNT = new AtomicInteger();
  private static Server ferretdb;
  private static Server fake;

  private TestMongo() {}

  /** The kinds of server that tests run on. */
  public enum Kind {
    FERRETDB,
    FAKE;

    public Database fresh() {
      return this == FERRETDB ? ferretdb() : fake();
    }
  }

  /** A database on a server. */
  public record Database(String server, MongoClient client, String name) {
    public String url() {
      return server + name;
    }

    public TargetConfig config(String options) {
      return config(options, "{}");
    }

    /** With the section {@code schema} too. */
    public TargetConfig config(String options, String schema) {
      return new TargetConfig(
          "test", "mongodb", "", url(), "", "", json(options), json(schema), "");
    }

    /** Opens the target for two workers, for a run named {@code test}. */
    public Target open(String options) {
      return open(options, new Session("test", 2, Duration.ofSeconds(5)));
    }

    public Target open(String options, Session session) {
      return open(config(options), session);
    }

    public Target open(TargetConfig config, Session session) {
      return TestDatabases.driver("mongodb").open(config, session);
    }

    /** The database itself, for hand-written BSON. */
    public MongoDatabase bson() {
      return client.getDatabase(name);
    }

    private static JsonObject json(String text) {
      return JsonParser.parseString(text.replace('\'', '"')).getAsJsonObject();
    }
  }

  /** A fresh database on a real FerretDB 1.24, whose PostgreSQL does not survive a crash. */
  public static synchronized Database ferretdb() {
    if (ferretdb == null) {
      FerretServer server = FerretServer.start(TestDatabases.fresh());
      ferretdb = Server.kept(server.url(), server::close);
    }
    return ferretdb.fresh();
  }

  /** A FerretDB of the test's own, on a PostgreSQL database of its own. */
  public static OwnFerretdb ownFerretdb() {
    return new OwnFerretdb();
  }

  /**
   * A FerretDB that takes TLS alone; the caller closes it.
   *
   * @param clients file with the authority of the certificates that clients have to show, or empty
   */
  public static Encrypted encryptedFerretdb(Path certificate, Path key, String clients) {
    return new Encrypted(
        FerretServer.start(
            TestDatabases.fresh(),
            "-tls-certificate=" + certificate.toAbsolutePath(),
            "-tls-key=" + key.toAbsolutePath(),
            "-tls-clients=" + clients));
  }

  /** A FerretDB that takes TLS alone. */
  public static final class Encrypted implements AutoCloseable {
    private final FerretServer server;

    private Encrypted(FerretServer server) {
      this.server = server;
    }

    /** Of a database, by the address of the loopback interface. */
    public String url() {
      return server.url().replaceAll("/\\?.*", "/db");
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** A FerretDB that a test may halt and kill; its PostgreSQL lives on. */
  public static final class OwnFerretdb implements AutoCloseable {
    private final TestDatabases.Database postgresql = TestDatabases.fresh();
    private FerretServer server = FerretServer.start(postgresql);
    private MongoClient client = MongoClients.create(server.url());

    private OwnFerretdb() {}

    /** Always the same one. */
    public Database database() {
      return new Database(server.url(), client, "own");
    }

    public void halt() {
      server.halt();
    }

    public void resume() {
      server.resume();
    }

    public void killHard() {
      server.killHard();
    }

    /** Starts it again, on another port. */
    public void restart() {
      client.close();
      server = FerretServer.start(postgresql);
      client = MongoClients.create(server.url());
    }

    @Override
    public void close() {
      client.close();
      server.close();
    }
  }

  /** A fresh database on mongo-java-server, a fake of MongoDB. */
  public static synchronized Database fake() {
    if (fake == null) {
      EmbeddedMongo server = EmbeddedMongo.start();
      fake = Server.kept(server.url(""), server::close);
    }
    return fake.fresh();
  }

  /** A server that runs until this JVM ends. */
  private record Server(String url, MongoClient client) {
    static Server kept(String url, Runnable stop) {
      MongoClient client = MongoClients.create(url);
      Runtime.getRuntime()
          .addShutdownHook(
              new Thread(
                  () -> {
                    client.close();
                    stop.run();
                  }));
      return new Server(url, client);
    }

    Database fresh() {
      return new Database(url, client, "test" + COUNT.incrementAndGet());
    }
  }
}
