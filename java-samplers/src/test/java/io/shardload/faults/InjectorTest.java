package io.shardload.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.Guard;
import io.shardload.bundle.FaultsFile;
import io.shardload.bundle.FaultsFile.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class InjectorTest {
  @TempDir private Path directory;

  private final List<String> done = Collections.synchronizedList(new ArrayList<>());
  private final List<FaultsFile.Event> heard = Collections.synchronizedList(new ArrayList<>());

  /** Notes what is done; its begin fails if it is called so. */
  private record Noted(String name, List<String> done) implements Injection {
    @Override
    public void begin(Guard guard) throws IOException {
      done.add("begin " + name);
      if (name.equals("broken")) {
        throw new IOException("no such host");
      }
    }

    @Override
    public void end() {
      done.add("end " + name);
    }

    @Override
    public String undo() {
      return "";
    }
  }

  private static Fault fault(String name, double atSeconds, double seconds, String check) {
    return new Fault(name, name, atSeconds, seconds, "", "", check);
  }

  private Injector injector(Path file, Callable<Boolean> question, Fault... faults)
      throws IOException {
    Probe probe = new Probe(question, () -> done.add("probe closed"));
    return new Injector(
        List.of(faults), fault -> new Noted(fault.name(), done), probe, file, heard::add);
  }

  private static void start(Injector injector) {
    injector.started(System.nanoTime() - 1_000_000_000, 1);
  }

  private static void await(BooleanSupplier holds) throws InterruptedException {
    while (!holds.getAsBoolean()) {
      Thread.sleep(5);
    }
  }

  private static List<Kind> kinds(Path file, int fault) throws IOException {
    return FaultsFile.read(file).get(fault).events().stream()
        .map(FaultsFile.Event::kind)
        .filter(kind -> kind != Kind.ANSWERS && kind != Kind.NO_ANSWER)
        .toList();
  }

  /** Turned red by an end that is left out where the begin failed. */
  @Test
  void eachFaultBeginsAndEndsInItsTurn() throws Exception {
    Path file = directory.resolve("faults.jsonl");
    try (Injector injector =
        injector(file, () -> true, fault("broken", 0, 0.1, ""), fault("stop", 0.2, 0.1, ""))) {
      start(injector);
      await(() -> done.contains("end stop"));
    }
    assertThat(done)
        .containsExactly("begin broken", "end broken", "begin stop", "end stop", "probe closed");
    assertThat(kinds(file, 0)).containsExactly(Kind.BEGIN, Kind.FAILED, Kind.END, Kind.ENDED);
    assertThat(kinds(file, 1)).containsExactly(Kind.BEGIN, Kind.BEGUN, Kind.END, Kind.ENDED);
    List<FaultsFile.Event> written = FaultsFile.read(file).get(1).events();
    assertThat(heard).filteredOn(one -> one.fault().equals("stop")).isEqualTo(written);
    FaultsFile.Event begin = written.get(0);
    assertThat(begin.loadNanos()).isGreaterThanOrEqualTo(1_200_000_000L);
    assertThat(begin.epochMillis())
        .isBetween(System.currentTimeMillis() - 60_000, System.currentTimeMillis());
  }

  /** Turned red by a close that only interrupts. */
  @Test
  void closingEndsTheFaultInEffectAndBeginsNoOther() throws Exception {
    Injector injector =
        injector(
            directory.resolve("faults.jsonl"),
            () -> true,
            fault("stop", 0, 3600, ""),
            fault("kill", 3700, 1, ""));
    start(injector);
    await(() -> done.contains("begin stop"));
    injector.close();
    assertThat(done).containsExactly("begin stop", "end stop", "probe closed");
  }

  /** The run is stopped, and then closed. Turned red by a second interrupt. */
  @Test
  void theEndOfAFaultIsNotInterrupted() throws Exception {
    Path file = directory.resolve("faults.jsonl");
    CountDownLatch ending = new CountDownLatch(1);
    Injection slow =
        new Injection() {
          @Override
          public void begin(Guard guard) {}

          @Override
          public void end() throws InterruptedException {
            ending.countDown();
            Thread.sleep(300);
          }

          @Override
          public String undo() {
            return "";
          }
        };
    Probe probe = new Probe(() -> true, () -> {});
    Injector injector =
        new Injector(List.of(fault("stop", 0, 3600, "")), fault -> slow, probe, file, event -> {});
    start(injector);
    await(() -> hasBegun(file));
    injector.stop();
    ending.await();
    injector.close();
    assertThat(kinds(file, 0)).containsExactly(Kind.BEGIN, Kind.BEGUN, Kind.END, Kind.ENDED);
  }

  private static boolean hasBegun(Path file) {
    try {
      return Files.readString(file).contains("begun");
    } catch (IOException e) {
      return false;
    }
  }

  /** It might hurt the server after the end. Turned red by a command that is left to itself. */
  @Test
  void aBeginThatIsInterruptedDoesNotGoOn() throws Exception {
    Path hurt = directory.resolve("hurt");
    Path begun = directory.resolve("begun");
    Fault late =
        new Fault(
            "late",
            "late",
            0,
            3600,
            "touch '%s'; sleep 1; touch '%s'".formatted(begun, hurt),
            "rm -f '" + hurt + "'",
            "true");
    Injector injector =
        new Injector(
            List.of(late),
            Injection::ofCommands,
            new Probe(() -> true, () -> {}),
            directory.resolve("faults.jsonl"),
            event -> {});
    start(injector);
    await(() -> Files.exists(begun));
    injector.close();
    Thread.sleep(1500);
    assertThat(hurt).doesNotExist();
  }

  /** Turned red by events that throw. */
  @Test
  void aFullDiskKeepsNoFaultInEffect() throws Exception {
    Path full = Path.of("/dev/full");
    assertThat(Files.exists(full)).isTrue();
    try (Injector injector = injector(full, () -> true, fault("stop", 0, 0.05, ""))) {
      start(injector);
      await(() -> done.contains("end stop"));
    }
    assertThat(done).startsWith("begin stop", "end stop");
  }

  /** The query hangs, the command of the second fault answers. Turned red by one check for all. */
  @Test
  void eachFaultHasItsOwnCheck() throws Exception {
    Path file = directory.resolve("faults.jsonl");
    CountDownLatch never = new CountDownLatch(1);
    Callable<Boolean> hanging =
        () -> {
          never.await();
          return true;
        };
    try (Injector injector = injector(file, hanging, fault("stop", 0, 0.5, ""))) {
      start(injector);
      await(() -> done.contains("end stop"));
    }
    List<FaultsFile.Event> events = FaultsFile.read(file).get(0).events();
    assertThat(events).extracting(FaultsFile.Event::kind).contains(Kind.NO_ANSWER);
    Path other = directory.resolve("other.jsonl");
    Callable<Boolean> refusing = () -> false;
    try (Injector injector =
        injector(other, refusing, fault("stop", 0, 0.5, ""), fault("kill", 0.6, 0.5, "true"))) {
      start(injector);
      await(() -> done.contains("end kill"));
    }
    assertThat(FaultsFile.read(other).get(1).events())
        .extracting(FaultsFile.Event::kind)
        .contains(Kind.ANSWERS);
  }

  /** Turned red by each of the three keys. */
  @Test
  void noCommandIsSentToAGenerator() {
    JsonObject config =
        JsonParser.parseString(
                "{'faults':[{'name':'kill','fault':'kill','at_seconds':5,'begin':'a','end':'b','check':'c'}]}")
            .getAsJsonObject();
    Fault.removeCommands(config);
    assertThat(config)
        .hasToString("{\"faults\":[{\"name\":\"kill\",\"fault\":\"kill\",\"at_seconds\":5}]}");
  }
}
