package io.shardload.driver.postgresql.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Session;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers of other versions, of which there are only fakes here. */
class ProbeTest {
  private static final Address ADDRESS = Address.parse("postgresql://127.0.0.1/shardload");

  @ParameterizedTest
  @ValueSource(ints = {13, 19})
  void aVersionThatIsNotSupportedIsRefused(int major) {
    ConfigException e = catchThrowableOfType(ConfigException.class, () -> probe(major).run());
    assertThat(e.key()).isEqualTo("target.url");
    assertThat(e)
        .hasMessage(
            "PostgreSQL %d is not supported; supported versions are 14 to 18".formatted(major));
  }

  @ParameterizedTest
  @ValueSource(ints = {14, 18})
  void theOldestAndTheNewestAreTaken(int major) {
    // What is asked next, the fake refuses to answer.
    AssertionError e = catchThrowableOfType(AssertionError.class, () -> probe(major).run());
    assertThat(e).hasMessage("unexpected: createStatement");
  }

  private static Probe probe(int major) {
    DatabaseMetaData version =
        fake(DatabaseMetaData.class, name -> name.equals("getDatabaseMajorVersion") ? major : null);
    Connection connection =
        fake(Connection.class, name -> name.equals("getMetaData") ? version : null);
    DataSource source =
        fake(DataSource.class, name -> name.equals("getConnection") ? connection : null);
    return new Probe(
        ADDRESS,
        "tester",
        Settings.read(new Options("target.options", new JsonObject()), true),
        new Session("test", 1, Duration.ofSeconds(5)),
        (hosts, serverType) -> source);
  }

  private interface Answers {
    Object to(String method);
  }

  private static <T> T fake(Class<T> type, Answers answers) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          Object answer = answers.to(method.getName());
          if (answer == null && !method.getName().equals("close")) {
            throw new AssertionError("unexpected: " + method.getName());
          }
          return answer;
        };
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
