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
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which part of a run the figures of the machines cover. */
class MachineUseTest {
  @TempDir Path directory;
  private BundleFixture bundle;
  private int second;

  @BeforeEach
  void createBundle() {
    bundle = new BundleFixture(directory);
    bundle.load().addProperty("rate_profile", false);
  }

  private void segment(String name, String kind, int rate, boolean passes) {
    bundle.segment(name, kind, 1, rate);
    bundle.generator(0).done(second, name, "update", rate);
    bundle.generator(0).count(second, name, "update", "on_time", passes ? 0 : -rate / 2);
    second++;
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

  private JsonObject summary() throws IOException {
    return Finished.summary(bundle.write());
  }

  private static String use(JsonObject hosts) {
    return hosts.get("step") + " " + Json.object(hosts, "servers").get("cpu_ratio");
  }

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
