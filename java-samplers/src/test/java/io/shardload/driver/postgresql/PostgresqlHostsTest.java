package io.shardload.driver.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Several hosts: one server under several names is several hosts to a client.
 *
 * <p>Mutations that turned it red: each source beginning with the first host; the first host not
 * left out for 'others'.
 */
class PostgresqlHostsTest {
  private static final String PASSWORD_ENV = "SHARDLOAD_HOSTS_TEST_PASSWORD";
  private static final Session SESSION = new Session("test", 6, Duration.ofSeconds(5));

  private final Database database = TestDatabases.fresh();

  private Target open(String hosts, String options) {
    // The server's password file names one host only.
    Secrets.provide(PASSWORD_ENV, database.server().password());
    TargetConfig one = database.config(options);
    String url =
        "postgresql://"
            + hosts.replace("PORT", "" + database.server().port())
            + "/"
            + database.name();
    return new PostgresqlDriver()
        .open(
            new TargetConfig("t", "postgresql", "", url, one.user(), PASSWORD_ENV, one.options()),
            SESSION);
  }

  @ParameterizedTest
  @CsvSource({"first, 6, 0", "any, 3, 3", "others, 0, 6"})
  void thePoolIsSpreadEvenlyOverTheHostsAsAsked(String balance, long first, long second)
      throws Exception {
    try (Target target = open("127.0.0.1:PORT,localhost:PORT", "{'balance': '" + balance + "'}")) {
      target.port(DocumentStoreAdmin.class).createSchema(Making.UNRECORDED, Progress.UNHEARD);
      target.port(DocumentStore.class);
      Map<String, Long> opened = target.connectionsByHost();
      int port = database.server().port();
      assertThat(opened.getOrDefault("127.0.0.1:" + port, 0L)).isEqualTo(first);
      assertThat(opened.getOrDefault("localhost:" + port, 0L)).isEqualTo(second);
      assertThat(target.readsPrimary()).isEqualTo(balance.equals("first"));
    }
  }

  @Test
  void aHostThatIsDownIsMadeUpForByTheOthers() throws Exception {
    try (Target target = open("127.0.0.1:1,127.0.0.1:PORT", "{'balance': 'any'}")) {
      target.port(DocumentStore.class);
      assertThat(target.connectionsByHost())
          .containsEntry("127.0.0.1:" + database.server().port(), 6L);
      assertThat(target.quiescenceCaveat()).isEmpty();
      assertThat(target.awaitDisconnected("shardload-nobody", Duration.ofMinutes(1))).isTrue();
      assertThat(target.quiescenceCaveat())
          .isEqualTo("the clients connected to 127.0.0.1:1 could not be listed");
    }
  }

  /** As one that is switched off. Mutation: one connect timeout for all hosts together. */
  @Test
  void aHostThatDoesNotEvenRefuseIsPassedOver() throws Exception {
    List<Socket> queue = new ArrayList<>();
    try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      for (boolean taken = true; taken; ) {
        Socket socket = new Socket();
        queue.add(socket);
        try {
          socket.connect(full.getLocalSocketAddress(), 500);
        } catch (SocketTimeoutException e) {
          taken = false;
        }
      }
      String hosts = "127.0.0.1:%d,127.0.0.1:PORT".formatted(full.getLocalPort());
      try (Target target = open(hosts, "{'connect-timeout': '1s'}")) {
        assertThat(target.server().name()).isEqualTo("PostgreSQL");
      }
    } finally {
      for (Socket socket : queue) {
        socket.close();
      }
    }
  }

  @Test
  void readsFromReplicasNeedAReplica() {
    ConfigException e =
        catchThrowableOfType(
            ConfigException.class,
            () -> open("127.0.0.1:PORT,localhost:PORT", "{'reads': 'replicas'}"));
    assertThat(e.key()).isEqualTo("target.options.reads");
    assertThat(e).hasMessageContaining("is a replica");
  }

  @ParameterizedTest
  @CsvSource({"reads, replicas", "balance, others"})
  void oneHostIsNotSeveral(String key, String value) {
    ConfigException e =
        catchThrowableOfType(
            ConfigException.class,
            () -> open("127.0.0.1:PORT", "{'%s': '%s'}".formatted(key, value)));
    assertThat(e.key()).isEqualTo("target.url");
    assertThat(e).hasMessageContaining("needs several");
  }
}
