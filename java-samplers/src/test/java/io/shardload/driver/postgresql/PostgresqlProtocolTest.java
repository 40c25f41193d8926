package io.shardload.driver.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.DocumentStore;
import io.shardload.workload.documentstore.DocumentStoreAdmin;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What goes over the wire, counted by a proxy that reads the client's messages.
 *
 * <p>Mutations that turned it red: {@code preferQueryMode} not set for simple; pgjdbc's default
 * prepare threshold of 5; autocommit left on with a fetch size (no second Execute).
 */
class PostgresqlProtocolTest {
  private static final UUID ID = UUID.fromString("00000000-0000-4000-8000-00000000000a");
  private static final int CALLS = 10;

  private final Database database = TestDatabases.fresh();

  @BeforeEach
  void twelveRows() throws Exception {
    try (Target target = database.open("{}")) {
      target.port(DocumentStoreAdmin.class).createSchema(false);
    }
    database.execute(
        "INSERT INTO data_table SELECT '"
            + ID
            + "', 'k' || n, 'x', n, 'p', 'u', 't', 0 FROM generate_series(1, 12) n");
  }

  /** Message types that ten finds of twelve rows send, with the proxy between. */
  private Map<Character, Integer> messagesOfTenFinds(String options) throws Exception {
    try (CountingProxy proxy = new CountingProxy(database.server().port())) {
      TargetConfig direct = database.config(options);
      TargetConfig config =
          new TargetConfig(
              direct.name(),
              direct.driver(),
              "",
              "postgresql://127.0.0.1:" + proxy.port() + "/" + database.name(),
              direct.user(),
              "",
              direct.options());
      Session session = new Session("test", 1, Duration.ofSeconds(5));
      try (Target target = TestDatabases.driver("postgresql").open(config, session)) {
        DocumentStore store = target.port(DocumentStore.class);
        proxy.counts.clear();
        for (int i = 0; i < CALLS; i++) {
          assertThat(store.findByIdAndFilter5(ID, "u", Phases.NONE)).hasSize(12);
        }
        return Map.copyOf(proxy.counts);
      }
    }
  }

  @Test
  void simpleSendsOneQueryMessageAndNothingElse() throws Exception {
    assertThat(messagesOfTenFinds("{'statements': 'simple', 'ssl': 'disable'}"))
        .isEqualTo(Map.of('Q', CALLS));
  }

  @Test
  void preparedIsParsedOnceFromTheFirstUseOn() throws Exception {
    Map<Character, Integer> messages = messagesOfTenFinds("{'ssl': 'disable'}");
    assertThat(messages).containsEntry('P', 1).containsEntry('B', CALLS).containsEntry('E', CALLS);
    assertThat(messages).containsEntry('S', CALLS).doesNotContainKey('Q');
  }

  @Test
  void aFetchSizeTakesTheRowsInPortionsInsideATransaction() throws Exception {
    Map<Character, Integer> messages = messagesOfTenFinds("{'ssl': 'disable', 'fetch-size': '5'}");
    // BEGIN and three portions of rows per find; pgjdbc sends COMMIT as a Query message.
    assertThat(messages).containsEntry('E', 4 * CALLS).containsEntry('Q', CALLS);
  }

  /** Forwards one connection after another and counts the client's messages by type. */
  private static final class CountingProxy implements AutoCloseable {
    final Map<Character, Integer> counts = new ConcurrentHashMap<>();
    private final ServerSocket listener;
    private final int serverPort;

    CountingProxy(int serverPort) throws IOException {
      this.serverPort = serverPort;
      this.listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
      daemon(
          () -> {
            while (true) {
              Socket client = listener.accept();
              Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort());
              daemon(() -> forwardMessages(client, server));
              daemon(() -> server.getInputStream().transferTo(client.getOutputStream()));
            }
          });
    }

    private int serverPort() {
      return serverPort;
    }

    int port() {
      return listener.getLocalPort();
    }

    private void forwardMessages(Socket client, Socket server) throws IOException {
      DataInputStream in = new DataInputStream(client.getInputStream());
      OutputStream out = server.getOutputStream();
      // The start-up message has no type.
      forwardBody(in, out, -1);
      while (true) {
        int type = in.read();
        if (type < 0) {
          server.close();
          return;
        }
        counts.merge((char) type, 1, Integer::sum);
        forwardBody(in, out, type);
      }
    }

    private static void forwardBody(DataInputStream in, OutputStream out, int type)
        throws IOException {
      int length = in.readInt();
      byte[] message = new byte[length + (type < 0 ? 0 : 1)];
      int at = 0;
      if (type >= 0) {
        message[at++] = (byte) type;
      }
      for (int shift = 24; shift >= 0; shift -= 8) {
        message[at++] = (byte) (length >>> shift);
      }
      in.readFully(message, at, length - Integer.BYTES);
      out.write(message);
      out.flush();
    }

    private interface Job {
      void run() throws IOException;
    }

    private static void daemon(Job job) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  job.run();
                } catch (IOException e) {
                  // A closed socket ends the thread.
                }
              });
      thread.setDaemon(true);
      thread.start();
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }
}
