package io.shardload.results;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The findings on the servers' machines: what bounds a run, and which figures are missing. */
class MachineFindingsTest extends Finished {
  private final List<HostSeries> machines = new ArrayList<>();
  private final List<String> missing = new ArrayList<>();
  private String source = HostMetrics.STORE;
  private int second;

  @BeforeEach
  void seekTheMaximum() {
    bundle.load().addProperty("rate_profile", false);
  }

  private void segment(String name, String kind, int rate, boolean passes) {
    bundle.segment(name, kind, 1, rate);
    bundle.generator(0).done(second, name, "update", rate);
    bundle.generator(0).count(second, name, "update", "on_time", passes ? 0 : -rate / 2);
    second++;
  }

  private void machine(String host, String role, Figure figure, double... each) {
    machines.add(new HostSeries(host, role, !role.equals("generator"), 4, Map.of(figure, each)));
  }

  /** What the console notes; the summary's findings are the same. */
  private List<String> noted() throws IOException {
    bundle.hostMetrics = new HostMetrics(source, "", 1, machines, missing);
    List<String> findings = findings();
    assertThat(lines().stream().filter(line -> line.startsWith("note ")))
        .extracting(line -> line.substring(10))
        .isEqualTo(findings);
    return findings;
  }

  /** The line on what bounds the run. */
  private String bound() throws IOException {
    bundle.hostMetrics = new HostMetrics(source, "", 1, machines, missing);
    return lines().stream().filter(line -> line.startsWith("bound ")).findFirst().orElse("");
  }

  /** At the lowest step that failed above the capacity. Mutation: look at the capacity's step. */
  @Test
  void namesTheProcessorsThatEndedTheCapacity() throws IOException {
    segment("step-1", "step", 100, true);
    segment("step-2", "step", 200, true);
    segment("step-3", "step", 300, false);
    segment("step-4", "step", 400, false);
    machine("db1", "shard", Figure.CPU, 0.5, 0.8, 0.97, 1);
    machine("db2", "shard", Figure.CPU, 0.5, 0.6, 0.9, 1);
    machine("load1", "generator", Figure.CPU, 1, 1, 1, 1);
    assertThat(bound())
        .endsWith(
            "the servers' processors in step-3: the processors of db1 (shard) were 97 % in use");
  }

  /** None kept up: the lowest rate that was too much says what bounds it. */
  @Test
  void looksAtTheLowestFailedStepWhereNoneKeptUp() throws IOException {
    segment("step-1", "step", 100, false);
    segment("step-2", "step", 200, false);
    machine("db1", "primary", Figure.DISK_BUSY, 0.954, 0.2);
    assertThat(bound())
        .endsWith("the servers' disks in step-1: the busiest disk of db1 (primary) was 95 % busy");
  }

  /** The generator is not the server: that the figure holds both is said. */
  @Test
  void saysThatAGeneratorIsInTheFigures() throws IOException {
    segment("warm-up", "warm-up", 10, true);
    segment("hold", "hold", 10, true);
    bundle.environment.getAsJsonObject("target").addProperty("shares_machine", true);
    machine("db1", "primary", Figure.CPU, 0, 0.93);
    assertThat(bound()).contains("of db1 (primary) were 93 % in use, ", " by the generator");
  }

  @Test
  void saysWhatIsMissingInOneLine() throws IOException {
    segment("hold", "hold", 10, true);
    for (int i = 1; i <= 5; i++) {
      missing.add("db" + i + " has no series in the store");
    }
    assertThat(noted())
        .containsExactly(
            "machine figures are missing: db1 has no series in the store; db2 has no series in the"
                + " store; db3 has no series in the store; 2 more cases, listed under missing in"
                + " hosts.json");
  }

  /** Of two machines that the target lists one has figures. */
  @Test
  void saysThatAMachineIsMissing() throws IOException {
    segment("hold", "hold", 10, true);
    machine("db1", "shard", Figure.CPU, 0.2);
    bundle.run.add("server_hosts", BundleFixture.list("{'host':'db1'},{'host':'db2'}"));
    assertThat(noted())
        .containsExactly(
            "only 1 of 2 server machines have figures, so the figures of all servers"
                + " together are not known");
  }

  /**
   * A router's user may not ask the shards for their machine's name: their addresses stand there.
   */
  @ParameterizedTest
  @CsvSource({
    "10.0.0.1:37121, 10.0.0.1:37131, true",
    "'db1:1,db2:1', 'db1:2,db2:2', true",
    "[fd00::1]:27018, [fd00::2]:27018, false",
    "fd00::11, fd00::12, false"
  })
  void serversOnOneAddressAreOneMachine(String one, String other, boolean same) throws IOException {
    segment("hold", "hold", 10, true);
    machine("here", "primary", Figure.CPU, 0.2);
    bundle.environment.add(
        "server",
        BundleFixture.parse("{'machines':[{'host':'%s'},{'host':'%s'}]}".formatted(one, other)));
    assertThat(noted().isEmpty()).isEqualTo(same);
  }

  /** There is no server whose machine could be missing, or bound anything. */
  @Test
  void saysNothingOfARunWithoutADatabase() throws IOException {
    segment("hold", "hold", 10, true);
    bundle.environment.getAsJsonObject("target").addProperty("keeps_data", false);
    source = HostMetrics.LOCAL;
    missing.add("no disks");
    machine("here", "primary", Figure.CPU, 1);
    assertThat(noted())
        .containsExactly("no database was involved: the figures show shardload itself");
  }

  /** Who names a store wants to know that it did not answer. */
  @Test
  void namesAStoreThatIsGoneInARunWithoutADatabase() throws IOException {
    segment("hold", "hold", 10, true);
    bundle.environment.getAsJsonObject("target").addProperty("keeps_data", false);
    missing.add("cannot connect to a store at http://127.0.0.1:8428: connection refused");
    assertThat(noted())
        .containsExactly(
            "no database was involved: the figures show shardload itself",
            "machine figures are missing: cannot connect to a store at http://127.0.0.1:8428:"
                + " connection refused");
  }

  /** A machine of four processors with one value per second. */
  private static HostSeries machine(String host, String role, double... cpu) {
    boolean server = !role.equals(HostSeries.GENERATOR);
    return new HostSeries(host, role, server, 4, Map.of(Figure.CPU, cpu));
  }

  private void machines(HostSeries... machines) {
    List<String> missing = List.of("db9: the store has no series of it");
    bundle.hostMetrics =
        new HostMetrics(HostMetrics.STORE, "http://store", 1, List.of(machines), missing);
  }

  private static String use(JsonObject hosts) {
    return hosts.get("step") + " " + Json.object(hosts, "servers").get("cpu_ratio");
  }

  // Which part of a run the figures of the machines cover.

  /** Warm-up and ramp are in no figure. */
  @Test
  void coversTheResultSegmentsOfARunWithoutSteps() throws IOException {
    segment("warm-up", "warm-up", 10, true);
    segment("ramp", "ramp", 10, true);
    segment("hold", "hold", 10, true);
    machines(
        machine("db1", "primary", 0.1, 0.2, 0.5), machine("load1", "generator", 0.3, 0.3, 0.9));
    JsonObject hosts = Json.object(summary(), "hosts");
    assertThat(use(hosts)).isEqualTo("null 0.5");
    assertThat(hosts.get("source").getAsString()).isEqualTo("store");
    assertThat(hosts.get("missing").toString())
        .isEqualTo("[\"db9: the store has no series of it\"]");
    JsonObject load = Json.array(hosts, "list").get(1).getAsJsonObject();
    assertThat(load.get("host").getAsString()).isEqualTo("load1");
    assertThat(load.get("server").getAsBoolean()).isFalse();
    assertThat(load.get("cpu_ratio").getAsDouble()).isEqualTo(0.9);
    assertThat(load.get("reads_per_second").isJsonNull()).isTrue();
    // 0.5 of 4 processors for 1 s, 10 operations.
    assertThat(Json.object(hosts, "servers").get("cpu_seconds_per_operation").getAsDouble())
        .isEqualTo(0.2);
  }

  @Test
  void coversTheCapacitysStepAndEachStepHasItsOwn() throws IOException {
    segment("step-1", "step", 100, true);
    segment("step-2", "step", 200, true);
    segment("step-3", "step", 300, false);
    machines(machine("db1", "primary", 0.25, 0.5, 0.75));
    JsonObject summary = summary();
    assertThat(use(Json.object(summary, "hosts"))).isEqualTo("\"step-2\" 0.5");
    List<String> each = new ArrayList<>();
    for (JsonElement step : Json.array(summary, "steps")) {
      JsonObject servers = Json.object(step.getAsJsonObject(), "servers");
      each.add(servers.get("cpu_ratio") + " " + servers.get("cpu_seconds_per_operation"));
    }
    // 3 processors for 1 s, and 150 of the 300 in time.
    assertThat(each).containsExactly("0.25 0.01", "0.5 0.01", "0.75 0.02");
    assertThat(RecordedRun.read(directory).serverUse().value(Figure.CPU)).isEqualTo(0.5);
    assertThat(RecordedRun.read(directory).hosts().hosts()).hasSize(1);
  }

  /** The lowest rate that the target did not carry, and not the first in time. */
  @Test
  void coversTheLowestFailedStepWhereNoneKeptUp() throws IOException {
    segment("step-1", "step", 200, false);
    segment("step-2", "step", 100, false);
    segment("step-3", "step", 300, false);
    machines(machine("db1", "primary", 0.25, 0.5, 0.75));
    assertThat(use(Json.object(summary(), "hosts"))).isEqualTo("\"step-2\" 0.5");
  }

  @Test
  void isNullWhereNobodyLooked() throws IOException {
    segment("hold", "hold", 10, true);
    JsonObject summary = summary();
    assertThat(summary.get("hosts").isJsonNull()).isTrue();
    JsonObject step = Json.array(summary, "steps").get(0).getAsJsonObject();
    assertThat(step.get("servers").isJsonNull()).isTrue();
    assertThat(RecordedRun.read(directory).hosts()).isNull();
    assertThat(RecordedRun.read(directory).serverUse()).isNull();
  }
}
