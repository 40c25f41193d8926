package io.shardload.driver.mongodb;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * A fake mongos, on a socket, that records. It knows nothing of sharding: it answers from a script,
 * command by command, and refuses whatever the script does not expect next. The handshake and the
 * monitor of the driver, and who the server is, are answered aside; what compressors it has is not.
 */
public final class FakeRouter implements AutoCloseable {
  public static final String OK = "{ok: 1}";

  /** Instead of an answer: the connection is closed. */
  public static final String HANG_UP = "";

  private static final int NOT_EXPECTED = 8000;

  /** What the driver adds to any command of its own accord. */
  private static final Set<String> ADDED = Set.of("$db", "$clusterTime", "lsid", "txnNumber");

  /** Where the driver sends what may go anywhere, or what needs the primary. */
  private static final Set<String> USUAL = Set.of("primary", "primaryPreferred");

  private static final Pattern DATE = Pattern.compile("\\{\"\\$date\": \"[^\"]*\"}");

  private static final String HELLO =
      "{ok: 1, helloOk: true, ismaster: true, isWritablePrimary: true, readOnly: false,"
          + " minWireVersion: 0, maxWireVersion: 21, maxBsonObjectSize: 16777216,"
          + " maxMessageSizeBytes: 48000000, maxWriteBatchSize: 100000, ";

  private final ServerSocket socket;
  private volatile String build;
  private volatile Supplier<String> hello;
  private final Function<BsonDocument, String> answers;
  private final Deque<Step> script = new ArrayDeque<>();
  private final List<String> refused = new ArrayList<>();
  private final Set<String> applications = ConcurrentHashMap.newKeySet();

  /** A command that has to come next, and the answer to it. */
  private record Step(String command, String answer) {}

  /**
   * @param build the answer to buildInfo
   * @param hello asked for each answer to hello
   * @param answers what is answered to other commands; null for a script
   */
  FakeRouter(String build, Supplier<String> hello, Function<BsonDocument, String> answers) {
    this.build = build;
    this.hello = hello;
    this.answers = answers == null ? this::scripted : answers;
    try {
      socket = new ServerSocket(0, 20, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    daemon(this::accept);
  }

  /** A fake mongos of a version. */
  public static FakeRouter router(String version) {
    return router(version, null);
  }

  /** A fake mongos whose answers come from elsewhere instead of a script. */
  public static FakeRouter router(String version, Function<BsonDocument, String> answers) {
    return new FakeRouter(build(version), () -> HELLO + "msg: 'isdbgrid'}", answers);
  }

  /** A fake primary of a replica set, which is no router. */
  public static FakeRouter primary(String version) {
    return new FakeRouter(build(version), () -> HELLO + "setName: 'rs0'}", null);
  }

  private static String build(String version) {
    return "{ok: 1, version: '" + version + "', gitVersion: 'fake', modules: [], bits: 64}";
  }

  /** Changes what it says of itself: fields of the answer to hello. */
  public FakeRouter says(String fields) {
    hello = () -> HELLO + fields + "}";
    return this;
  }

  /** Changes what it says of its build: the answer to buildInfo. */
  public FakeRouter builtAs(String reply) {
    build = reply;
    return this;
  }

  /** The next command on a database, with all its arguments, and the answer to it. */
  public synchronized FakeRouter expect(String database, String command, String answer) {
    script.add(new Step(text(database, BsonDocument.parse(command)), answer));
    return this;
  }

  public FakeRouter expect(String database, String command) {
    return expect(database, command, OK);
  }

  public FakeRouter expectFailure(String database, String command, int code) {
    return expect(database, command, "{ok: 0, errmsg: 'scripted', code: " + code + "}");
  }

  /** An answer with a cursor that is done. */
  public static String rows(String... documents) {
    return "{cursor: {id: NumberLong(0), ns: 'a.b', firstBatch: ["
        + String.join(", ", documents)
        + "]}, ok: 1}";
  }

  /** Everything that was expected came, and nothing else. */
  public synchronized void assertDone() {
    assertThat(refused).as("commands that were not expected").isEmpty();
    assertThat(script.stream().map(Step::command)).as("commands that did not come").isEmpty();
  }

  /** The names that clients gave themselves. */
  public Set<String> applications() {
    return applications;
  }

  /** Host and port. */
  public String address() {
    return "127.0.0.1:" + socket.getLocalPort();
  }

  /** As a target file has it. */
  public String url(String database) {
    return "mongodb://" + address() + "/" + database;
  }

  /** A client that does not retry: a repeated command would be one that nobody expects. */
  public MongoClient client() {
    String url = "mongodb://" + address();
    return MongoClients.create(
        MongoClientSettings.builder()
            .applyConnectionString(new ConnectionString(url + "/?directConnection=true"))
            .retryReads(false)
            .retryWrites(false)
            .build());
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket connection = socket.accept();
        daemon(() -> serve(connection));
      }
    } catch (IOException e) {
      // Closed: the test is over.
    }
  }

  private void serve(Socket connection) {
    try (connection) {
      DataInputStream in = new DataInputStream(connection.getInputStream());
      OutputStream out = connection.getOutputStream();
      while (true) {
        FakeWire request = FakeWire.read(in);
        String answer = answer(request.command());
        if (answer.equals(HANG_UP)) {
          return;
        }
        out.write(request.reply(BsonDocument.parse(answer)));
        out.flush();
      }
    } catch (IOException e) {
      // The client went away.
    }
  }

  private String answer(BsonDocument request) {
    BsonDocument client = request.getDocument("client", new BsonDocument());
    if (client.containsKey("application")) {
      applications.add(client.getDocument("application").getString("name").getValue());
    }
    if (request.containsKey("compression") && !request.containsKey("client")) {
      return scripted(request);
    }
    return switch (request.getFirstKey()) {
      case "hello", "isMaster", "ismaster" -> hello.get();
      case "buildInfo" -> build;
      case "endSessions", "ping" -> OK;
      default -> answers.apply(request);
    };
  }

  private synchronized String scripted(BsonDocument request) {
    String database = request.getString("$db", new BsonString("")).getValue();
    String command = text(database, request);
    Step next = script.peek();
    if (next == null || !next.command.equals(command)) {
      refused.add(command + (next == null ? "" : " instead of " + next.command));
      return "{ok: 0, code: " + NOT_EXPECTED + ", errmsg: 'the fake did not expect this'}";
    }
    script.remove();
    return next.answer;
  }

  /** Database and command with all arguments in their order; dates of any value. */
  private static String text(String database, BsonDocument command) {
    return database + " " + DATE.matcher(own(command).toJson()).replaceAll("a date");
  }

  /** A command without what the driver adds to any. */
  public static BsonDocument own(BsonDocument command) {
    BsonDocument own = new BsonDocument();
    command.forEach(
        (name, value) -> {
          if (!ADDED.contains(name) && !usual(name, value)) {
            own.append(name, value);
          }
        });
    return own;
  }

  private static boolean usual(String name, BsonValue value) {
    return name.equals("$readPreference")
        && USUAL.contains(value.asDocument().getString("mode").getValue());
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "fake-router");
    thread.setDaemon(true);
    thread.start();
  }
}
