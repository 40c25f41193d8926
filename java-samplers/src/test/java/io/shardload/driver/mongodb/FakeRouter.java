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
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;

/**
 * A fake mongos, on a socket, that records. It knows nothing of sharding: it answers from a script,
 * command by command, and refuses whatever the script does not expect next. The handshake and the
 * monitor of the driver, and who the server is, are answered aside.
 */
final class FakeRouter implements AutoCloseable {
  static final String OK = "{ok: 1}";

  private static final int OP_REPLY = 1;
  private static final int OP_QUERY = 2004;
  private static final int OP_MSG = 2013;
  private static final int HEADER_BYTES = 16;
  private static final int NOT_EXPECTED = 8000;

  /** What the driver adds to any command of its own accord. */
  private static final Set<String> ADDED =
      Set.of("$db", "$readPreference", "$clusterTime", "lsid", "txnNumber");

  private final ServerSocket socket;
  private final String version;
  private final String hello;
  private final Deque<Step> script = new ArrayDeque<>();
  private final List<String> refused = new ArrayList<>();

  /** A command that has to come next, and the answer to it. */
  private record Step(String command, String answer) {}

  private FakeRouter(String version, String hello) {
    this.version = version;
    this.hello = hello;
    try {
      socket = new ServerSocket(0, 20, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    daemon(this::accept);
  }

  /** A fake mongos of a version. */
  static FakeRouter router(String version) {
    return new FakeRouter(version, ", msg: 'isdbgrid'");
  }

  /** A fake primary of a replica set, which is no router. */
  static FakeRouter primary(String version) {
    return new FakeRouter(version, ", setName: 'rs0'");
  }

  /** The next command on a database, with all its arguments, and the answer to it. */
  synchronized FakeRouter expect(String database, String command, String answer) {
    script.add(new Step(text(database, BsonDocument.parse(command)), answer));
    return this;
  }

  FakeRouter expect(String database, String command) {
    return expect(database, command, OK);
  }

  FakeRouter expectFailure(String database, String command, int code) {
    return expect(database, command, "{ok: 0, errmsg: 'scripted', code: " + code + "}");
  }

  /** An answer with a cursor that is done. */
  static String rows(String... documents) {
    return "{cursor: {id: NumberLong(0), ns: 'a.b', firstBatch: ["
        + String.join(", ", documents)
        + "]}, ok: 1}";
  }

  /** Everything that was expected came, and nothing else. */
  synchronized void assertDone() {
    assertThat(refused).as("commands that were not expected").isEmpty();
    assertThat(script.stream().map(Step::command)).as("commands that did not come").isEmpty();
  }

  /** As a target file has it. */
  String url(String database) {
    return "mongodb://127.0.0.1:" + socket.getLocalPort() + "/" + database;
  }

  /** A client that does not retry: a repeated command would be one that nobody expects. */
  MongoClient client() {
    String url = "mongodb://127.0.0.1:" + socket.getLocalPort();
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
      byte[] header = new byte[HEADER_BYTES];
      while (true) {
        in.readFully(header);
        ByteBuffer head = little(header);
        byte[] body = new byte[head.getInt(0) - HEADER_BYTES];
        in.readFully(body);
        int opcode = head.getInt(12);
        BsonDocument answer = BsonDocument.parse(answer(request(opcode, body)));
        out.write(message(opcode, head.getInt(4), answer));
        out.flush();
      }
    } catch (IOException e) {
      // The client went away.
    }
  }

  private String answer(BsonDocument request) {
    return switch (request.getFirstKey()) {
      case "hello", "isMaster", "ismaster" ->
          "{ok: 1, helloOk: true, ismaster: true, isWritablePrimary: true, readOnly: false,"
              + " minWireVersion: 0, maxWireVersion: 21, maxBsonObjectSize: 16777216,"
              + " maxMessageSizeBytes: 48000000, maxWriteBatchSize: 100000"
              + hello
              + "}";
      case "buildInfo" -> "{ok: 1, version: '" + version + "', gitVersion: 'fake'}";
      case "endSessions", "ping" -> OK;
      default -> scripted(request);
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

  /** Database and command with all arguments in their order. */
  private static String text(String database, BsonDocument command) {
    BsonDocument own = new BsonDocument();
    command.forEach(
        (name, value) -> {
          if (!ADDED.contains(name)) {
            own.append(name, value);
          }
        });
    return database + " " + own.toJson();
  }

  private static BsonDocument request(int opcode, byte[] body) {
    // OP_MSG: flags, then a section of kind 0; no command here has one of kind 1. OP_QUERY: flags,
    // the name of a collection, two numbers.
    int start = Integer.BYTES + 1;
    if (opcode == OP_QUERY) {
      int end = Integer.BYTES;
      while (body[end] != 0) {
        end++;
      }
      start = end + 1 + 2 * Integer.BYTES;
    }
    return new RawBsonDocument(body, start, little(body).getInt(start));
  }

  private static byte[] message(int opcode, int requestId, BsonDocument answer) {
    byte[] document = encoded(answer);
    int preludeBytes = opcode == OP_MSG ? Integer.BYTES + 1 : 20;
    byte[] bytes = new byte[HEADER_BYTES + preludeBytes + document.length];
    ByteBuffer message =
        little(bytes)
            .putInt(bytes.length)
            .putInt(0)
            .putInt(requestId)
            .putInt(opcode == OP_MSG ? OP_MSG : OP_REPLY);
    if (opcode == OP_MSG) {
      message.putInt(0).put((byte) 0);
    } else {
      message.putInt(0).putLong(0).putInt(0).putInt(1);
    }
    message.put(document);
    return bytes;
  }

  private static byte[] encoded(BsonDocument document) {
    BasicOutputBuffer buffer = new BasicOutputBuffer();
    try (BsonBinaryWriter writer = new BsonBinaryWriter(buffer)) {
      new BsonDocumentCodec().encode(writer, document, EncoderContext.builder().build());
    }
    return buffer.toByteArray();
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "fake-router");
    thread.setDaemon(true);
    thread.start();
  }
}
