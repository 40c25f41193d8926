package io.shardload.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.LedgerFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counters of a ledger whose concurrency is known, beside times that fit it or do not. */
class LittlesLawTest {
  private static final int WARM_UP = 2;
  private static final int HOLD = 20;
  private static final int RATE = 100;

  @TempDir Path directory;

  /**
   * @param backlog at the end of each second, counted from 0 at the start of the run
   * @param underWay calls that the first second leaves under way, and every later one too
   */
  private Path bundle(int underWay, IntUnaryOperator backlog) throws IOException {
    BundleFixture fixture =
        new BundleFixture(directory.resolve("run"))
            .segment("warm-up", "warm-up", WARM_UP, RATE)
            .segment("hold", "hold", HOLD, RATE);
    for (int second = 0; second < WARM_UP + HOLD; second++) {
      String segment = second < WARM_UP ? "warm-up" : "hold";
      var generator = fixture.generator(0).done(second, segment, "update", RATE);
      if (second == 0) {
        generator.count(second, segment, "update", "started", underWay);
      }
    }
    Path run = fixture.write();
    Path ledger = run.resolve("latencies").resolve("generator-0.jsonl");
    List<String> lines = new ArrayList<>();
    for (String text : Files.readAllLines(ledger)) {
      JsonObject line = LedgerFile.parse(text);
      if (!LedgerFile.isFinal(line)) {
        line.addProperty("backlog", backlog.applyAsInt(lines.size()));
      }
      lines.add(line.toString());
    }
    Files.write(ledger, lines);
    return run;
  }

  private static JsonObject summary(String latency, int dropped) {
    return BundleFixture.parse(
        ("{'steps':[{'name':'ramp','kind':'ramp'},{'name':'hold','kind':'hold','seconds':%d,"
                + "'ledger':{'dropped':%d},'response_ns':%s}]}")
            .formatted(HOLD, dropped, latency));
  }

  @Test
  void agreesWhereTheTimesFitTheCounters() throws IOException {
    Path run = bundle(30, second -> 0);
    LittlesLaw law = LittlesLaw.of(run, summary("{'count':2000,'mean':300000000}", 0));
    assertThat(law.counted()).isEqualTo(30);
    assertThat(law.expected()).isCloseTo(30, within(1e-9));
    assertThat(law.samples()).isEqualTo(HOLD + 1);
    assertThat(law.agrees()).isTrue();
    assertThat(LittlesLaw.of(run, summary("{'count':2000,'mean':250000000}", 0)).agrees()).isTrue();
    assertThat(LittlesLaw.of(run, summary("{'count':2000,'mean':190000000}", 0)).agrees())
        .isFalse();
    assertThat(LittlesLaw.of(run, summary("{'count':2000,'mean':500000000}", 0)).agrees())
        .isFalse();
  }

  /** What waits for a worker is in the system as well. */
  @Test
  void countsTheBacklog() throws IOException {
    Path run = bundle(30, second -> 20);
    LittlesLaw law = LittlesLaw.of(run, summary("{'count':2000,'mean':300000000}", 0));
    assertThat(law.counted()).isEqualTo(50);
    assertThat(law.agrees()).isFalse();
    assertThat(LittlesLaw.of(run, summary("{'count':2000,'mean':500000000}", 0)).agrees()).isTrue();
  }

  /** Of a backlog that grows from nothing to 400 half is the mean, however few the counts are. */
  @Test
  void takesTheMeanBetweenCounts() throws IOException {
    Path run = bundle(0, second -> Math.max(0, 20 * (second - WARM_UP + 1)));
    LittlesLaw law = LittlesLaw.of(run, summary("{'count':2000,'mean':2000000000}", 0));
    assertThat(law.counted()).isCloseTo(200, within(1e-9));
    assertThat(law.agrees()).isTrue();
  }

  @Test
  void takesALowerBoundForWhatItIs() throws IOException {
    Path run = bundle(30, second -> 0);
    String bound = "{'count':1000,'mean':null,'at_least_ns':{'mean':%d}}";
    LittlesLaw low = LittlesLaw.of(run, summary(bound.formatted(100_000_000), 1000));
    assertThat(low.expected()).isCloseTo(10, within(1e-9));
    assertThat(low.agrees()).isTrue();
    LittlesLaw high = LittlesLaw.of(run, summary(bound.formatted(600_000_000), 1000));
    assertThat(high.expected()).isCloseTo(60, within(1e-9));
    assertThat(high.agrees()).isFalse();
  }

  @Test
  void saysNothingOfARunWithoutAHold() throws IOException {
    Path run = bundle(30, second -> 0);
    assertThat(LittlesLaw.of(run, new JsonObject())).isNull();
    JsonObject json =
        LittlesLaw.of(run, summary("{'count':0,'mean':null}", 0)).toJson().getAsJsonObject();
    assertThat(json.get("expected").isJsonNull()).isTrue();
    assertThat(json.get("agrees").getAsBoolean()).isFalse();
  }

  @Test
  void standsInTheRecordOfTheSearch() throws IOException {
    Path run = bundle(30, second -> 0);
    Files.writeString(
        run.resolve("summary.json"), summary("{'count':2000,'mean':300000000}", 0).toString());
    ExampleSearch search = new ExampleSearch();
    search.add(100, 1180).addProperty("bundle", "run");
    search.add(200, 1180);
    JsonObject reply = CapacityVerb.run(search.request(directory));
    assertThat(ExampleSearch.lines(reply))
        .contains("little   in 1 of 1 runs concurrency = rate x time");
    JsonObject written =
        LedgerFile.parse(Files.readString(directory.resolve("search").resolve("search.json")));
    JsonObject first = written.getAsJsonArray("runs").get(0).getAsJsonObject();
    assertThat(first.getAsJsonObject("little").get("counted").getAsDouble()).isEqualTo(30);
    assertThat(written.getAsJsonArray("runs").get(1).getAsJsonObject().get("little").isJsonNull())
        .isTrue();
  }
}
