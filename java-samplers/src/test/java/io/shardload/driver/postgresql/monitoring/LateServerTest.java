package io.shardload.driver.postgresql.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.config.Secrets;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.monitoring.ServerMonitor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One server directly, and the same by a slow way. */
@Timeout(120)
class LateServerTest {
  private static final String PASSWORD_ENV = "SHARDLOAD_TEST_MONITOR_LATE";
  private static final String UP = "shardload_server_up";

  /** Four answers take longer than a read; no single one is given up. */
  private static final int ANSWER_MILLIS = 1400;

  /** Passes connections on; answers take a while from some time on. */
  private static final class SlowWay implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final int serverPort;
    private volatile int answerMillis;

    SlowWay(int serverPort) throws IOException {
      this.serverPort = serverPort;
      daemon(
          () -> {
            while (true) {
              Socket client = listener.accept();
              Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort());
              daemon(() -> pass(client, server, false));
              daemon(() -> pass(server, client, true));
            }
          });
    }

    private int serverPort() {
      return serverPort;
    }

    private void pass(Socket from, Socket to, boolean answers) throws Exception {
      try (from;
          to) {
        byte[] bytes = new byte[1 << 16];
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
          if (answers) {
            Thread.sleep(answerMillis);
          }
          out.write(bytes, 0, n);
        }
      }
    }

    private interface Job {
      void run() throws Exception;
    }

    private static void daemon(Job job) {
      Thread thread =
          new Thread(
              () -> {
                try {
                  job.run();
                } catch (Exception e) {
                  // A closed socket ends the thread.
                }
              },
              "slow-way");
      thread.setDaemon(true);
      thread.start();
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }

  @Test
  void aLateServerIsDownWhileItsReadGoesOn() throws Exception {
    Database database = TestDatabases.fresh();
    int port = database.server().port();
    Secrets.provide(PASSWORD_ENV, database.server().password());
    try (SlowWay way = new SlowWay(port)) {
      String slow = "127.0.0.1:" + way.listener.getLocalPort();
      String url = "postgresql://%s,127.0.0.1:%d/%s".formatted(slow, port, database.name());
      TargetConfig direct = database.config("{}");
      TargetConfig config =
          new TargetConfig(
              "t", "postgresql", "", url, database.server().user(), PASSWORD_ENV, direct.options());
      try (ServerMonitor monitor = TestDatabases.driver("postgresql").monitor(config)) {
        assertThat(new Seen(monitor.read()).sum(UP)).isEqualTo(2);
        way.answerMillis = ANSWER_MILLIS;
        Seen late = new Seen(monitor.read());
        assertThat(late.readings().refused())
            .isEqualTo(Map.of(slow + " connection", "does not answer within 4 s"));
        assertThat(late.value(UP, "server", slow)).isZero();
        assertThat(late.value(UP, "server", "127.0.0.1:" + port)).isEqualTo(1);
        way.answerMillis = 0;
        while (new Seen(monitor.read()).sum(UP) < 2) {
          Thread.sleep(20);
        }
      }
    }
  }
}
