package io.shardload.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.shardload.config.ConfigException;
import io.shardload.driver.Hosts.Host;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostsTest {
  private static Hosts hosts(String list) {
    return Hosts.parse(list, 10, "scheme://host/database");
  }

  @Test
  void aHostWithoutAPortHasTheDefaultOne() {
    assertThat(hosts("a:1,b,[::1]:3,[::1]").all())
        .containsExactly(
            new Host("a", 1), new Host("b", 10), new Host("[::1]", 3), new Host("[::1]", 10));
    assertThat(hosts("a:1,b").hostsAndPorts()).containsExactly("a:1", "b:10");
    assertThat(hosts("a:1,b")).hasToString("a:1,b:10");
  }

  @ParameterizedTest
  @CsvSource({
    "'', is not of the form scheme://host/database",
    "'a,', is not of the form scheme://host/database",
    "::1, is not of the form scheme://host/database",
    "a:secret, is not of the form scheme://host/database",
    "a:0, 0 is not a port",
    "a:65536, 65536 is not a port"
  })
  void whatIsNoListOfHostsIsRefused(String list, String message) {
    ConfigException e = catchThrowableOfType(ConfigException.class, () -> hosts(list));
    assertThat(e.key()).isEqualTo("target.url");
    assertThat(e).hasMessage(message);
  }

  @Test
  void someOfThemOrAllInAnotherTurn() {
    Hosts hosts = hosts("a,b,c");
    assertThat(hosts.size()).isEqualTo(3);
    assertThat(hosts.from(0)).isEqualTo(hosts);
    assertThat(hosts.from(2)).isEqualTo(hosts("c,a,b"));
    assertThat(hosts.others()).isEqualTo(hosts("b,c"));
    assertThat(hosts.each()).containsExactly(hosts("a"), hosts("b"), hosts("c"));
  }

  @ParameterizedTest
  @CsvSource({
    "'localhost,127.0.0.1,127.1.2.3,[::1],LocalHost,[0:0:0:0:0:0:0:1]', true",
    "127.evil.example, false",
    "127.0.0.1.evil.example, false",
    "127.0.0.256, false",
    "[::2], false",
    "'localhost,a', false",
    "10.0.0.1, false"
  })
  void localMeansEveryHost(String list, boolean local) {
    assertThat(hosts(list).local()).isEqualTo(local);
  }

  /** 127.0.0.2 may be another server on the same machine. */
  @Test
  void aDatabaseHasOneNameForEachHostHoweverItIsSpelled() {
    assertThat(hosts("A:1,localhost,127.0.0.1,[::1],127.0.0.2").databases("DB"))
        .containsExactlyInAnyOrder("a:1/DB", "localhost:10/DB", "127.0.0.2:10/DB");
  }
}
