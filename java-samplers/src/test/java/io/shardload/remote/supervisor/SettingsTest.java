package io.shardload.remote.supervisor;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.Version;
import io.shardload.remote.engine.KeyStores;
import io.shardload.remote.engine.TestEngine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsTest {
  @TempDir Path folder;

  private final Supervisor.RunWatch watch = new Supervisor.RunWatch(30, 15, 0);

  @TempDir Path root;

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

  private GeneratorMain.Settings parse(String... arguments) {
    return GeneratorMain.Settings.parse(List.of(arguments), folder, folder);
  }

  private static void assertRefused(
      org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String... words) {
    assertThat(refusalOf(call)).hasMessageContainingAll(words);
  }

  @Test
  void anIdleEngineMayWaitForEver() {
    assertThat(watch.hear("Created remote object", seconds(1))).isEmpty();
    assertThat(watch.hear("shardload: alive", seconds(1))).isEmpty();
    assertThat(overdueBy(100)).isEmpty();
  }

  @Test
  void aRunThatGivesNoSignOfLifeIsOverdue() {
    assertThat(watch.hear("shardload: begun r1", seconds(0))).contains("run r1 begun");
    for (int second = 1; second <= 10; second++) {
      assertThat(watch.hear("shardload: alive", seconds(second))).isEmpty();
    }
    assertThat(overdueBy(39)).isEmpty();
    assertThat(overdueBy(40)).contains("run r1 sent no message for 30 s");
  }

  @Test
  void whatStaysAfterTheEndOfItsRunIsOverdue() {
    watch.hear("shardload: begun r1", seconds(0));
    assertThat(watch.hear("shardload: ended r1", seconds(10))).contains("run r1 ended");
    watch.hear("shardload: alive", seconds(20));
    assertThat(overdueBy(24)).isEmpty();
    assertThat(overdueBy(25)).contains("it did not exit within 15 s after the end of run r1");
  }

  @Test
  void aPauseOfTheSupervisorItselfBlamesNobody() {
    watch.hear("shardload: begun r1", seconds(0));
    assertThat(overdueBy(10)).isEmpty();
    assertThat(watch.overdue(seconds(1_000))).isEmpty();
    assertThat(overdueBy(1_019)).isEmpty();
    assertThat(overdueBy(1_021)).contains("run r1 sent no message for 30 s");
  }

  private long lastSecond;

  /** The first complaint while time goes on second by second. */
  private Optional<String> overdueBy(long second) {
    Optional<String> found = Optional.empty();
    while (found.isEmpty() && lastSecond < second) {
      lastSecond++;
      if (lastSecond < 1_000 && second > 1_000) {
        lastSecond = 1_000;
      }
      found = watch.overdue(seconds(lastSecond));
    }
    return found;
  }

  private static long seconds(long seconds) {
    return seconds * 1_000_000_000L;
  }

  @Test
  void theVersionIsThatOfTheArchiveWithItsCommit() throws IOException {
    assertThat(GeneratorMain.version(root)).isEqualTo("shardload " + Version.current());
    Files.writeString(root.resolve("VERSION"), "shardload 0.1.0, commit 0123456789ab\n");
    assertThat(GeneratorMain.version(root)).isEqualTo("shardload 0.1.0, commit 0123456789ab");
  }
}
