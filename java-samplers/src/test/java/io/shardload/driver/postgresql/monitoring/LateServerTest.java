package io.shardload.driver.postgresql.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.config.Secrets;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TcpProxy;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.monitoring.ServerMonitor;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One server directly, and the same by a slow way. */
@Timeout(120)
class LateServerTest {
  private static final String PASSWORD_ENV = "SHARDLOAD_TEST_MONITOR_LATE";
  private static final String UP = "shardload_server_up";

  /** Four answers take longer than a read; no single one is given up. */
  private static final int ANSWER_MILLIS = 1400;

  @Test
  void aLateServerIsDownWhileItsReadGoesOn() throws Exception {
    Database database = TestDatabases.fresh();
    int port = database.server().port();
    Secrets.provide(PASSWORD_ENV, database.server().password());
    AtomicInteger answerMillis = new AtomicInteger();
    TcpProxy.Ways ways =
        TcpProxy.Ways.answers(
            answer -> {
              Thread.sleep(answerMillis.get());
              return answer;
            });
    try (TcpProxy way = new TcpProxy(port, () -> ways)) {
      String slow = "127.0.0.1:" + way.port();
      String url = "postgresql://%s,127.0.0.1:%d/%s".formatted(slow, port, database.name());
      TargetConfig direct = database.config("{}");
      TargetConfig config =
          new TargetConfig(
              "t", "postgresql", "", url, database.server().user(), PASSWORD_ENV, direct.options());
      try (ServerMonitor monitor = TestDatabases.driver("postgresql").monitor(config)) {
        assertThat(new Seen(monitor.read()).sum(UP)).isEqualTo(2);
        answerMillis.set(ANSWER_MILLIS);
        Seen late = new Seen(monitor.read());
        assertThat(late.readings().refused())
            .isEqualTo(Map.of(slow + " connection", "does not answer within 4 s"));
        assertThat(late.value(UP, "server", slow)).isZero();
        assertThat(late.value(UP, "server", "127.0.0.1:" + port)).isEqualTo(1);
        answerMillis.set(0);
        while (new Seen(monitor.read()).sum(UP) < 2) {
          Thread.sleep(20);
        }
      }
    }
  }
}
