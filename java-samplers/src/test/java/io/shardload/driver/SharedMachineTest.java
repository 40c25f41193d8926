package io.shardload.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Where documents lie decides whether the machine is shared, not the first host of the address.
 * 192.0.2.0/24 is reserved for documentation (RFC 5737): it is no address of this machine.
 */
class SharedMachineTest {
  private static final String HERE = "127.0.0.1";
  private static final String ELSEWHERE = "192.0.2.7";
  private final SharedMachine machine = new SharedMachine("boot-here");

  private boolean shared(String url, DataHost... hosts) {
    return machine.holds(List.of(hosts), SharedMachine.hosts(url));
  }

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
}
