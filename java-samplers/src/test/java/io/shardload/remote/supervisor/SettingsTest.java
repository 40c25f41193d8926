package io.shardload.remote.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.remote.engine.KeyStores;
import io.shardload.remote.engine.TestEngine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
  @TempDir Path folder;

  @Test
  void addressesAreReadWithAndWithoutPort() {
    assertThat(ListenAddress.parse("127.0.0.2")).hasToString("127.0.0.2:1099");
    assertThat(ListenAddress.parse("127.0.0.2:2099")).hasToString("127.0.0.2:2099");
    assertThat(ListenAddress.parse("[::1]:2099"))
        .isEqualTo(ListenAddress.parse("[0:0:0:0:0:0:0:1]:2099"));
    assertThat(ListenAddress.parse("::1").port()).isEqualTo(1099);
  }

  @Test
  void allAddressesAtOnceAreRefused() {
    for (String all : List.of("0.0.0.0", "0.0.0.0:2099", "[::]:2099", "::", "")) {
      assertRefused(() -> ListenAddress.parse(all), "listens on one address", "127.0.0.1");
    }
  }

  @Test
  void anAddressOfAnotherMachineIsRefused() {
    assertRefused(
        () -> ListenAddress.parse("192.0.2.1").check(), "not an address of this machine", "NAT");
    assertRefused(() -> ListenAddress.parse("no.such.host.invalid"), "unknown host name");
  }

  @Test
  void bothPortsMustBeFree() throws IOException {
    int port = TestEngine.freePorts("127.0.0.2");
    ListenAddress address = ListenAddress.parse("127.0.0.2:" + port);
    address.check();
    try (ServerSocket taken = new ServerSocket(port + 1, 1, InetAddress.getByName("127.0.0.2"))) {
      assertRefused(address::check, "port %d is in use".formatted(taken.getLocalPort()));
    }
    assertRefused(() -> ListenAddress.parse("127.0.0.2:65535"), "from 1 to 65534");
    assertRefused(() -> ListenAddress.parse("127.0.0.2:x"), "not x");
  }

  @Test
  void wrongOptionsAreNamed() {
    assertRefused(() -> parse("--lisen", "127.0.0.2"), "did you mean \"--listen\"?");
    assertRefused(() -> parse("--listen"), "--listen needs a value");
    assertRefused(() -> parse("--heap", "much"), "not much");
    assertRefused(() -> parse("--keys", "none.jks").check(), "no key store at", "none.jks");
  }

  @Test
  void theEngineFindsItsKeyStoreAtTheUsualPath() throws IOException {
    KeyStores.create(folder.resolve(".shardload/keys"));
    assertThat(parse().engineFolder()).isEqualTo(folder);
    Path elsewhere = folder.resolve("elsewhere");
    KeyStores.create(elsewhere);
    Path file = elsewhere.resolve(KeyStores.FILE);
    Path engine = parse("--keys", file.toString()).engineFolder();
    assertThat(Files.isSameFile(engine.resolve(KeyStores.DEFAULT), file)).isTrue();
  }

  private Settings parse(String... arguments) {
    return Settings.parse(List.of(arguments), folder, folder);
  }

  private static void assertRefused(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String... words) {
    assertThatThrownBy(call).isInstanceOf(ConfigException.class).hasMessageContainingAll(words);
  }
}
