package io.shardload.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Costs by hand. Machines of 1.42 an hour at 100 transactions per second: 1.42 / 360 000 * 1e6 =
 * 3.944444.
 */
class CostTest extends Finished {
  private static final int SECONDS = 10;
  private static final String ALL =
      "{'currency':'USD','per_hour':1.42,'per_million_io':0.22,'per_gb_month':0.1}";

  private BundleFixture.Generator generator;

  @BeforeEach
  void prices() {
    prices(ALL);
    generator = bundle.generator(0);
  }

  private void prices(String prices) {
    bundle.run.add("price", BundleFixture.parse(prices));
  }

  private void hold(int offered, int done) {
    bundle.segment("hold", "hold", SECONDS, offered);
    for (int second = 0; second < SECONDS; second++) {
      generator.done(second, "hold", "update", offered);
      generator.count(second, "hold", "update", "on_time", done - offered);
    }
  }

  /** A machine with disks of 1035 operations per second, 95 % of its processors in use. */
  private static HostSeries machine(String name) {
    double[] reads = new double[SECONDS];
    double[] writes = new double[SECONDS];
    double[] cpu = new double[SECONDS];
    Arrays.fill(reads, 35);
    Arrays.fill(writes, 1000);
    Arrays.fill(cpu, 0.95);
    return new HostSeries(
        name,
        "primary",
        true,
        4,
        Map.of(Figure.READS, reads, Figure.WRITES, writes, Figure.CPU, cpu));
  }

  private void measured(HostSeries... machines) {
    bundle.hostMetrics = new HostMetrics(HostMetrics.STORE, "", 1, List.of(machines), List.of());
  }

  private JsonObject cost() throws IOException {
    bundle.write();
    Files.writeString(
        directory.resolve("evidence.json"),
        BundleFixture.parse(
                "{'plans':{},'storage':{'after':{'table_bytes':40e9,'index_bytes':{'a':8e9,"
                    + "'b':2e9}}}}")
            .toString());
    return Json.object(summary(directory), "cost");
  }

  private static void expect(JsonObject cost, String key, double value) {
    assertThat(Json.number(cost, key, Double.NaN)).as(key).isCloseTo(value, within(1e-6));
  }

  private static String sentence(JsonObject cost) {
    return Json.text(cost, "amount", "") + " " + Json.text(cost, "detail", "");
  }

  private String console() throws IOException {
    return lines().stream().filter(line -> line.startsWith("cost")).findFirst().orElse("");
  }

  /**
   * 10.35 operations of 0.22 are 2.277. 50 GB of 0.10 for 730 hours, at 100/s: 5 / 262 800 000 *
   * 1e6 = 0.019026. Mutations: days for months; GiB; the tables alone; the rate in minutes.
   */
  @Test
  void addsMachinesDisksAndStorage() throws IOException {
    hold(100, 100);
    measured(machine("db"));
    JsonObject cost = cost();
    expect(cost, "machines", 3.944444);
    expect(cost, "io", 2.277);
    expect(cost, "storage", 0.019026);
    expect(cost, "per_million", 6.240470);
    expect(cost, "per_second", 100);
    assertThat(cost.get("least_per_million").isJsonNull()).isTrue();
    assertThat(Json.text(cost, "basis", "")).isEqualTo("offered");
    assertThat(console())
        .isEqualTo(
            "cost      6.24 USD per million transactions at this offered rate (100/s); machines"
                + " 3.94, I/O 2.28, storage 0.02");
  }

  /** Of 100 calls 25 are refused and 15 fail: 1.42 / (3600 * 60) * 1e6. */
  @Test
  void refusedAndFailedCallsAreNoTransactions() throws IOException {
    prices("{'currency':'EUR','per_hour':1.42}");
    hold(100, 100);
    for (int second = 0; second < SECONDS; second++) {
      generator.count(second, "hold", "update", "done", -40);
      generator.count(second, "hold", "update", "refused", 25);
      generator.count(second, "hold", "update", "failed", 15);
      generator.count(second, "hold", "update", "on_time", -15);
    }
    JsonObject cost = cost();
    expect(cost, "per_second", 60);
    expect(cost, "per_million", 6.574074);
    assertThat(sentence(cost)).isEqualTo("6.57 at this offered rate (60/s)");
  }

  private void steps(int... done) {
    bundle.load().addProperty("rate_profile", false);
    for (int i = 0; i < done.length; i++) {
      String name = "step-" + (i + 1);
      int rate = 100 * (i + 1);
      bundle.segment(name, "step", 1, rate);
      generator.done(i, name, "update", rate);
      generator.count(i, name, "update", "on_time", done[i] - rate);
    }
  }

  /** 200/s were carried and 400/s were not: 1.42 / 1 440 000 * 1e6 to 1.42 / 720 000 * 1e6. */
  @Test
  void aCapacityIsAnInterval() throws IOException {
    prices("{'currency':'USD','per_hour':1.42}");
    steps(100, 200);
    bundle.segment("step-3", "step", 1, 400);
    generator.done(2, "step-3", "update", 400).count(2, "step-3", "update", "on_time", -200);
    JsonObject cost = cost();
    expect(cost, "least_per_million", 0.986111);
    expect(cost, "per_million", 1.972222);
    assertThat(Json.text(cost, "basis", "")).isEqualTo("capacity");
    assertThat(sentence(cost)).isEqualTo("0.986 to 1.97 at capacity (200 to 400/s)");
  }

  @Test
  void aCapacityThatMayBeHigherCostsAtMostThis() throws IOException {
    prices("{'currency':'USD','per_hour':1.42}");
    steps(100, 200, 300);
    assertThat(sentence(cost())).isEqualTo("at most 1.31 at capacity (at least 300/s)");
  }

  /** No step kept up; that of 100/s is the lowest: 1.42 / (3600 * 60) * 1e6. */
  @Test
  void aStepThatUsesUpTheServersIsSaturated() throws IOException {
    steps(60, 60, 60);
    prices("{'currency':'USD','per_hour':1.42}");
    measured(machine("db"));
    busy();
    JsonObject cost = cost();
    assertThat(sentence(cost)).isEqualTo("6.57 at saturation (60/s)");
    assertThat(Json.text(cost, "basis", "")).isEqualTo("saturation");
  }

  /**
   * 60 calls of the first second are answered in the second one, and 40 that were due in it: what
   * the target did is 100/s, of which 60 count as in time. A step that kept up does not gain by a
   * backlog. Mutations: either rate for both.
   */
  @Test
  void aBacklogCountsAtSaturationOnly() throws IOException {
    prices("{'currency':'USD','per_hour':1.42}");
    hold(100, 40);
    for (int second = 0; second < SECONDS; second++) {
      generator.count(second, "hold", "update", "started", -40);
      generator.count(second, "hold", "update", "done", -40);
      generator.dropped(second, "hold", "update", 5_000_000, 40).scheduled("hold", "update", -40);
      generator.count(second, "hold", "update", "carried_in", 60);
    }
    measured(machine("db"));
    generator.workers = 4;
    generator.busyNanos = BundleFixture.parse("{'hold':40e9}");
    assertThat(sentence(cost())).isEqualTo("3.94 at saturation (100/s)");
    measured();
    assertThat(sentence(cost())).isEqualTo("6.57 at this offered rate (60/s)");
  }

  private void busy() {
    generator.workers = 4;
    generator.busyNanos = BundleFixture.parse("{'step-1':4e9,'step-2':4e9,'step-3':4e9}");
  }

  /** Nothing shows that the servers carry no more. Mutation: look at the rate alone. */
  @Test
  void aStepThatIsShortOfWorkersIsNot() throws IOException {
    steps(60, 60, 60);
    prices("{'currency':'USD','per_hour':1.42}");
    busy();
    assertThat(sentence(cost())).isEqualTo("6.57 at this offered rate (60/s)");
  }

  @Test
  void aClosedModelHasNoOfferedRate() throws IOException {
    prices("{'currency':'USD','per_hour':1.42}");
    bundle.load().addProperty("model", "closed");
    bundle.segment("hold", "hold", SECONDS, Double.NaN);
    for (int second = 0; second < SECONDS; second++) {
      generator.done(second, "hold", "update", 100);
    }
    assertThat(sentence(cost())).isEqualTo("3.94 at the rate of these workers (100/s)");
  }

  // What has a price and is not in the cost.

  @Test
  void disksOfAMachineThatTheGeneratorSharesAreNotPriced() throws IOException {
    hold(100, 100);
    measured(machine("db"));
    bundle.environment.getAsJsonObject("target").addProperty("shares_machine", true);
    JsonObject cost = cost();
    assertThat(cost.get("io").isJsonNull()).isTrue();
    expect(cost, "per_million", 3.963470);
    assertThat(sentence(cost))
        .isEqualTo(
            "3.96 at this offered rate (100/s); machines 3.94, storage 0.02; without I/O: client"
                + " and server share a machine");
  }

  private List<String> lacking() throws IOException {
    return BundleFixture.texts(cost(), "lacking");
  }

  @Test
  void disksOfMachinesThatAreNotMeasuredAreNotPriced() throws IOException {
    hold(100, 100);
    assertThat(lacking()).containsExactly("I/O unknown: no server machine is measured");
    measured(machine("db"));
    bundle.run.add(
        "server_hosts",
        BundleFixture.list(
            "{'host':'db','port':1,'role':'shard'},{'host':'db2','port':1,'role':'shard'}"));
    assertThat(lacking()).containsExactly("I/O unknown: 1 of 2 server machines are measured");
    bundle.run.remove("server_hosts");
    measured(new HostSeries("db", "primary", true, 4, Map.of(Figure.CPU, new double[SECONDS])));
    assertThat(lacking())
        .containsExactly("I/O unknown: the disks of the server machines are not measured");
  }

  @Test
  void aSizeThatTheServerDoesNotReportIsNotPriced() throws IOException {
    hold(100, 100);
    measured(machine("db"));
    bundle.write();
    JsonObject cost = Json.object(summary(directory), "cost");
    assertThat(BundleFixture.texts(cost, "lacking"))
        .containsExactly("storage unknown: the server did not report its size");
    expect(cost, "per_million", 6.221444);
  }

  @Test
  void withoutPricesOrTransactionsThereIsNoCost() throws IOException {
    hold(100, 0);
    assertThat(summary().get("cost").isJsonNull()).isTrue();
    bundle.run.remove("price");
    assertThat(summary().get("cost").isJsonNull()).isTrue();
    assertThat(console()).isEmpty();
  }

  /** A bundle may come from elsewhere. */
  @Test
  void pricesThatAreNoNumbersAreNone() throws IOException {
    hold(100, 100);
    prices("{'currency':'USD','per_hour':'much'}");
    assertThat(summary().get("cost").isJsonNull()).isTrue();
    prices("{'currency':'USD','per_hour':1e308,'per_gb_month':1e308}");
    assertThat(cost().isEmpty()).isTrue();
  }

  @Test
  void anInvalidMeasurementHasNoCost() throws IOException {
    hold(100, 100);
    generator.ended = false;
    assertThat(summary().get("cost").isJsonNull()).isTrue();
    assertThat(console()).isEqualTo("cost      not known: the measurement is invalid");
  }
}
