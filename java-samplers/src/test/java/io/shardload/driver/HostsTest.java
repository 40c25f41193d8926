package io.shardload.driver;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.config.ConfigException;
import io.shardload.driver.Hosts.Host;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HostsTest {
  private static final String HERE = "127.0.0.1";
  private static final String ELSEWHERE = "192.0.2.7";
  private final SharedMachine machine = new SharedMachine("boot-here");

  private static final String LONG = "20260101-120000-a-target-with-quite-a-long-name-smoke-";

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
    ConfigException e = refusalOf(() -> hosts(list));
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

  private boolean shared(String url, DataHost... hosts) {
    return machine.holds(List.of(hosts), SharedMachine.hosts(url));
  }

  // Where documents lie decides whether the machine is shared, not the first host of the address.
  // 192.0.2.0/24 is reserved for documentation (RFC 5737): it is no address of this machine.

  /** A mongos, a coordinator or a pgbouncer on this machine in front of a remote cluster. */
  @Test
  void aRouterHereHoldsNoDocuments() {
    assertThat(shared("mongodb://127.0.0.1:27017/db", new DataHost(ELSEWHERE, ""))).isFalse();
    assertThat(shared("postgresql://localhost/db", new DataHost(HERE, "boot-there"))).isFalse();
  }

  @Test
  void oneDataNodeHereBehindARemoteRouterIsEnough() {
    DataHost remote = new DataHost(ELSEWHERE, "boot-there");
    assertThat(shared("postgresql://192.0.2.9/db", remote, new DataHost(HERE, "boot-here")))
        .isTrue();
    assertThat(shared("postgresql://192.0.2.9/db", remote)).isFalse();
  }

  /** A container has an address of its own and the kernel of its machine. */
  @Test
  void aContainerHereIsHere() {
    assertThat(shared("postgresql://127.0.0.1:5433/db", new DataHost(ELSEWHERE, "boot-here")))
        .isTrue();
  }

  /** The loopback address of another machine, as a pgbouncer beside its server makes it appear. */
  @Test
  void aLoopbackAddressIsThatOfTheHostThatWasAsked() {
    assertThat(shared("postgresql://192.0.2.9/db", new DataHost(HERE, ""))).isFalse();
    assertThat(shared("postgresql://127.0.0.1/db", new DataHost(HERE, ""))).isTrue();
    assertThat(shared("postgresql://127.0.0.1/db", new DataHost("", ""))).isTrue();
    assertThat(shared("mongodb://127.0.0.1/db", new DataHost("shard1.invalid", ""))).isTrue();
  }

  @Test
  void withoutWordOfTheServersTheUrlDecidesWithAllItsHosts() {
    assertThat(shared("mongodb://192.0.2.7:1,192.0.2.8:2/db")).isFalse();
    assertThat(shared("mongodb://192.0.2.7:1,[::1]:2/db")).isTrue();
    assertThat(shared("")).isFalse();
  }

  @Test
  void anAddressOfAnInterfaceOfOursIsHere() throws SocketException {
    List<String> own =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(address -> !address.isLoopbackAddress())
            .map(InetAddress::getHostAddress)
            .toList();
    for (String address : own) {
      assertThat(shared("mongodb://192.0.2.7/db", new DataHost(address, ""))).isTrue();
    }
    assertThat(shared("mongodb://192.0.2.7/db", new DataHost(ELSEWHERE, ""))).isFalse();
  }

  private static Session generator(String runId) {
    return new Session(runId, 1, Duration.ofSeconds(1));
  }

  // Application names are what servers keep of them, and tell runs and roles apart. Mutations that
  // turned it red: the hash left out; the readable part not cut; what is not ASCII let through;
  // one prefix for both roles.

  @Test
  void ordinaryNamesStayAsTheyAre() {
    assertThat(generator("run-1").applicationName()).isEqualTo("shardload-run-1");
    assertThat(generator("run-1").asController().applicationName())
        .isEqualTo("shardload controller run-1");
    assertThat(generator("x".repeat(53)).applicationName())
        .isEqualTo("shardload-" + "x".repeat(53));
  }

  @Test
  void everyNameFitsAndIsItsRunsAlone() {
    Stream<String> runs =
        Stream.of(
            LONG + "1",
            LONG + "2",
            LONG.repeat(3),
            "x".repeat(53),
            "x".repeat(54),
            "zürich",
            "zörich",
            "z_rich",
            "\ud83d\ude00",
            "a b",
            "a\tb",
            "");
    assertThat(runs.flatMap(run -> Stream.of(generator(run), generator(run).asController())))
        .extracting(Session::applicationName)
        .doesNotHaveDuplicates()
        .allMatch(name -> name.matches("shardload[ -][ -~]*") && name.length() <= 63);
    assertThat(generator(LONG + "1").applicationName())
        .hasSize(63)
        .startsWith("shardload-20260101-120000-a-target-");
    assertThat(generator("zürich").applicationName()).startsWith("shardload-z_rich~");
  }
}
