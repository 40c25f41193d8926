package io.shardload.driver.jdbc;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.config.ConfigException;
import org.junit.jupiter.api.Test;

class SqlDriverTest {
  /** Mutation: the class is looked for when the first connection is opened. */
  @Test
  void aClientThatIsNotThereIsNamedWithItsPlace() {
    ConfigException e =
        refusalOf(() -> SqlDriver.requireClient("org.example.Driver", "example-client"));
    assertThat(e.key()).isEqualTo("target.driver");
    assertThat(e).hasMessage("needs example-client-VERSION.jar in JMeter's folder lib");
    assertThat(refusalOf(() -> SqlDriver.requireClient("org.mariadb.jdbc.Driver", "x"))).isNull();
  }
}
