package io.shardload.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.LedgerSum;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a machine's files over the ledger to the series of the bundle. */
class LocalHostsTest {
  @TempDir Path folder;
  private Path proc;
  private BundleFixture fixture;

  @BeforeEach
  void machine() throws IOException {
    proc = folder.resolve("proc");
    Files.createDirectories(proc.resolve("sys/kernel"));
    Files.createDirectories(proc.resolve("net"));
    Files.writeString(proc.resolve("sys/kernel/hostname"), "load7\n");
    counters(0);
    fixture = new BundleFixture(folder.resolve("bundle"));
    Files.createDirectories(fixture.directory.resolve("latencies"));
  }

  /** A processor in four is busy, each second 3 writes of 2 sectors, 100 bytes received. */
  private void counters(int second) throws IOException {
    Files.writeString(
        proc.resolve("stat"),
        "cpu  %d 0 0 0 0 0 0 0\ncpu0 0\ncpu1 0\ncpu2 0\ncpu3 0\n".formatted(500 + 100 * second));
    Files.writeString(
        proc.resolve("diskstats"),
        " 8 0 sda 0 0 0 0 %d 0 %d %d 0 %d 0\n"
            .formatted(3 * second, 6 * second, 15 * second, 10 * second));
    Files.writeString(
        proc.resolve("net/dev"),
        "head\nhead\n eth0: %d 0 0 0 0 0 0 0 %d 0 0\n".formatted(100 * second, 7 * second));
  }

  private static long nanos(double seconds) {
    return Math.round(seconds * 1e9);
  }

  /** The ledger lines of a run of so many seconds. */
  private List<JsonObject> run(int generator, int seconds, String system) throws IOException {
    MachineSampler sampler = MachineSampler.of(proc, system);
    List<JsonObject> ledger = new ArrayList<>();
    counters(0);
    sampler.begin(() -> 0);
    for (int second = 1; second <= seconds; second++) {
      int end = second;
      JsonObject line = new JsonObject();
      line.addProperty("generator", generator);
      line.addProperty("seq", second - 1);
      line.addProperty("from_ns", nanos(second - 1));
      line.addProperty("to_ns", nanos(second));
      counters(second);
      sampler.addTo(line, () -> nanos(end));
      ledger.add(line);
    }
    return ledger;
  }

  private void write(int generator, List<JsonObject> ledger) throws IOException {
    Path file = fixture.directory.resolve("latencies/generator-" + generator + ".jsonl");
    StringBuilder text = new StringBuilder();
    ledger.forEach(line -> text.append(line).append('\n'));
    Files.writeString(file, text, StandardOpenOption.CREATE);
  }

  private HostMetrics read() throws IOException {
    Files.writeString(fixture.directory.resolve("run.json"), fixture.run.toString());
    Files.writeString(
        fixture.directory.resolve("environment.json"), fixture.environment.toString());
    Bundle bundle = BundleReader.read(fixture.directory);
    return LocalHosts.read(bundle);
  }

  @Test
  void aGeneratorsMachineHasItsName() throws IOException {
    write(0, run(0, 3, "Linux"));
    HostMetrics metrics = read();
    assertThat(metrics.missing()).isEmpty();
    assertThat(metrics.source()).isEqualTo(HostMetrics.LOCAL);
    assertThat(metrics.stepSeconds()).isEqualTo(1);
    assertThat(metrics.hosts()).hasSize(1);
    HostSeries host = metrics.hosts().get(0);
    assertThat(host.name()).isEqualTo("load7 (generator)");
    assertThat(host.server()).isFalse();
    assertThat(host.cores()).isEqualTo(4);
    Map<Figure, Double> expected =
        Map.of(
            Figure.CPU, 0.25,
            Figure.IO_WAIT, 0.0,
            Figure.READS, 0.0,
            Figure.WRITES, 3.0,
            Figure.WRITTEN_BYTES, 3 * 1024.0,
            Figure.WRITE_LATENCY, 0.005,
            Figure.DISK_BUSY, 0.01,
            Figure.RECEIVED_BYTES, 100.0,
            Figure.SENT_BYTES, 7.0);
    expected.forEach(
        (figure, value) -> {
          assertThat(host.values().get(figure)).as(figure.key()).hasSize(3);
          for (int i = 0; i < 3; i++) {
            assertThat(host.at(figure, i)).as(figure.key()).isCloseTo(value, within(1e-9));
          }
        });
    assertThat(host.values()).doesNotContainKey(Figure.READ_LATENCY);
  }

  @Test
  void aMachineWithTheServerIsItsPrimary() throws IOException {
    fixture.environment.getAsJsonObject("target").addProperty("shares_machine", true);
    fixture.environment.getAsJsonObject("target").addProperty("keeps_data", true);
    write(0, run(0, 2, "Linux"));
    assertThat(read().servers()).extracting(HostSeries::name).containsExactly("load7 (primary)");
    fixture.environment.getAsJsonObject("target").addProperty("keeps_data", false);
    assertThat(read().servers()).as("there is no server").isEmpty();
  }

  private String roleWhereListed(String hosts) throws IOException {
    fixture.run.add("server_hosts", BundleFixture.list(hosts));
    return read().servers().get(0).name();
  }

  /** The machine calls itself load7. Mutation: primary wherever the name does not match. */
  @Test
  void theServerOfALocalGeneratorHasTheRoleThatTheTargetLists() throws IOException {
    fixture.environment.getAsJsonObject("target").addProperty("shares_machine", true);
    write(0, run(0, 2, "Linux"));
    String worker = "{'host':'db2','role':'worker'}";
    String coordinator = "{'host':'127.0.0.1','role':'coordinator'}";
    assertThat(roleWhereListed(worker + "," + coordinator)).isEqualTo("load7 (coordinator)");
    assertThat(roleWhereListed(worker + "," + coordinator.replace("127.0.0.1", "localhost")))
        .isEqualTo("load7 (coordinator)");
    assertThat(roleWhereListed(worker + "," + coordinator.replace("127.0.0.1", "load7")))
        .isEqualTo("load7 (coordinator)");
    assertThat(roleWhereListed(worker + "," + coordinator.replace("127.0.0.1", "db1")))
        .isEqualTo("load7 (server)");
    assertThat(roleWhereListed(worker)).isEqualTo("load7 (worker)");
  }

  @Test
  void aLoadHostIsOneMachineHoweverManyGeneratorsItHas() throws IOException {
    fixture.hosts("10.9.0.3:1099", "10.9.0.3:1101", "db1:1099", "10.9.0.5:1099");
    fixture.facts(2).addProperty("shares_machine", true);
    fixture.run.add(
        "server_hosts", BundleFixture.list("{'host':'db1','port':9100,'role':'shard'}"));
    write(0, run(0, 2, "Linux"));
    write(1, run(1, 4, "Linux"));
    write(2, run(2, 4, "Linux"));
    HostMetrics metrics = read();
    assertThat(metrics.hosts())
        .extracting(HostSeries::name)
        .containsExactly("10.9.0.3 (generator)", "db1 (shard)");
    assertThat(metrics.hosts().get(0).values().get(Figure.CPU)).as("the longest").hasSize(4);
    assertThat(metrics.hosts().get(0).at(Figure.CPU, 3)).isCloseTo(0.25, within(1e-9));
    assertThat(metrics.missing())
        .containsExactly("generator 3 (10.9.0.5:1099) reported no sample of its machine");
  }

  /** Mutation: three machines, whose figures would be added up. */
  @Test
  void containersOfOneMachineAreOneEntryWithoutNetwork() throws IOException {
    fixture.hosts("10.9.0.3:1099", "10.9.0.4:1099", "10.9.0.5:1099");
    Path bootId = proc.resolve("sys/kernel/random/boot_id");
    Files.createDirectories(bootId.getParent());
    Files.writeString(bootId, "one\n");
    write(0, run(0, 2, "Linux"));
    write(1, run(1, 2, "Linux"));
    Files.writeString(bootId, "another\n");
    write(2, run(2, 2, "Linux"));
    HostMetrics metrics = read();
    assertThat(metrics.hosts())
        .extracting(HostSeries::host)
        .containsExactly("10.9.0.3, 10.9.0.4", "10.9.0.5");
    assertThat(metrics.hosts().get(0).values())
        .containsKeys(Figure.CPU, Figure.WRITES)
        .doesNotContainKeys(Figure.RECEIVED_BYTES, Figure.SENT_BYTES);
    assertThat(metrics.hosts().get(1).values()).containsKey(Figure.SENT_BYTES);
    assertThat(metrics.missing())
        .containsExactly(
            "10.9.0.3, 10.9.0.4: the network traffic is not known, because each of these addresses"
                + " of the machine has its own devices");
  }

  @Test
  void aMachineThatFellSilentHasAGap() throws IOException {
    List<JsonObject> ledger = run(0, 9, "Linux");
    ledger.subList(2, 7).forEach(line -> line.remove("machine"));
    write(0, ledger);
    HostMetrics metrics = read();
    assertThat(metrics.missing()).containsExactly("load7: no samples from 2 s to 8 s");
    HostSeries host = metrics.hosts().get(0);
    assertThat(host.at(Figure.CPU, 1)).isCloseTo(0.25, within(1e-9));
    assertThat(host.at(Figure.CPU, 4)).isNaN();
    assertThat(host.at(Figure.CPU, 8)).isCloseTo(0.25, within(1e-9));
  }

  @Test
  void aLongRunHasLongerIntervalsAndLosesNoTime() throws IOException {
    List<JsonObject> whole = new ArrayList<>();
    LedgerSum sum = new LedgerSum();
    for (JsonObject line : run(0, 12, "Linux")) {
      sum.add(line);
      if (line.get("seq").getAsInt() % 4 == 3) {
        whole.add(sum.take());
      }
    }
    write(0, whole);
    HostMetrics metrics = read();
    assertThat(metrics.stepSeconds()).isEqualTo(4);
    assertThat(metrics.missing()).isEmpty();
    assertThat(metrics.hosts().get(0).values().get(Figure.WRITES)).containsExactly(3, 3, 3);
  }

  @Test
  void anotherSystemIsSaidOnce() throws IOException {
    write(0, run(0, 3, "Mac OS X"));
    HostMetrics metrics = read();
    assertThat(metrics.hosts()).isEmpty();
    assertThat(metrics.missing())
        .containsExactly("load7: machine figures are available on Linux only; this is Mac OS X");
  }

  @Test
  void whatCannotBeReadIsSaidAndTheRestStands() throws IOException {
    List<JsonObject> ledger = run(0, 1, "Linux");
    Files.delete(proc.resolve("diskstats"));
    Files.createDirectory(proc.resolve("diskstats"));
    MachineSampler sampler = MachineSampler.of(proc, "Linux");
    JsonObject line = new JsonObject();
    line.addProperty("from_ns", nanos(1));
    line.addProperty("to_ns", nanos(2));
    sampler.addTo(line, () -> nanos(2));
    ledger.add(line);
    write(0, ledger);
    HostMetrics metrics = read();
    assertThat(metrics.missing())
        .containsExactly("load7: cannot read " + proc.resolve("diskstats"));
    assertThat(metrics.hosts().get(0).at(Figure.WRITES, 0)).isEqualTo(3);
    assertThat(metrics.hosts().get(0).at(Figure.WRITES, 1)).isNaN();
    assertThat(metrics.hosts().get(0).at(Figure.CPU, 1)).isZero();
  }

  @Test
  void aRunThatSampledNothingSaysSo() throws IOException {
    write(0, List.of(BundleFixture.parse("{'from_ns':0,'to_ns':1000000000}")));
    HostMetrics metrics = read();
    assertThat(metrics.hosts()).isEmpty();
    assertThat(metrics.missing()).containsExactly("generator 0 reported no sample of its machine");
  }
}
