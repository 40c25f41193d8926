package io.shardload.driver.noop;

import static io.shardload.driver.Caught.failureOf;
import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.Marks;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * The planned times pass exactly, on a clock that the test owns.
 *
 * <p>Mutations that turned it red: a stall counted from the clock's origin instead of the first
 * call; no service time after a stall; jitter drawn for each call from the same index.
 */
class NoopDriverTest {
  private static final long MS = 1_000_000;

  /** Jumps to the time that is slept for. */
  private static final class JumpingClock implements Clock {
    private long now = -77;
    private boolean used;

    @Override
    public long nanoTime() {
      used = true;
      return now;
    }

    @Override
    public void sleepUntil(long nanoTime) {
      now = Math.max(now, nanoTime);
    }
  }

  private final JumpingClock clock = new JumpingClock();

  private static TargetConfig config(String options) {
    return new TargetConfig("noop", "noop", "", "", "", "", BundleFixture.parse(options));
  }

  private Target open(String options) {
    return new NoopDriver(clock)
        .open(config(options), new Session("test", 1, Duration.ofSeconds(1)));
  }

  private StatementStore store(String options) {
    return open(options).port(StatementStore.class);
  }

  /** Calls at a time after the first call and returns how long it took, in milliseconds. */
  private double callAt(StatementStore store, long millis) throws CallFailure {
    clock.now = -77 + millis * MS;
    store.run(plan(true), new Object[0], Answers.IGNORED, Phases.NONE);
    return (clock.now + 77 - millis * MS) / (double) MS;
  }

  @Test
  void theBundleTellsTheOptions() {
    String options =
        "{'service-time': '5ms', 'jitter': '500us', 'errors-percent': 2,"
            + " 'stalls': [{'at': '20s', 'for': '2s'}]}";
    assertThat(open(options).clientSettings())
        .containsExactly(
            Map.entry("errors-percent", "2.0"),
            Map.entry("jitter", "0.5ms"),
            Map.entry("service-time", "5.0ms"),
            Map.entry("stalls", "20000.0ms to 22000.0ms"));
  }

  @Test
  void withoutOptionsNotEvenTheClockIsRead() throws CallFailure {
    StatementStore store = store("{}");
    Marks phases = new Marks();
    store.run(plan(false), new Object[0], Answers.IGNORED, phases);
    store.run(plan(true), new Object[0], Answers.IGNORED, phases);
    assertThat(phases.names()).containsExactly("connected", "found", "connected", "acknowledged");
    assertThat(clock.used).isFalse();
  }

  @Test
  void aCallThatBeginsInAStallIsServedAfterItsEnd() throws CallFailure {
    StatementStore store = store("{'service-time': '5ms', 'stalls': [{'at': '20s', 'for': '2s'}]}");

    assertThat(callAt(store, 0)).isEqualTo(5);
    assertThat(callAt(store, 19_999)).isEqualTo(5);
    assertThat(callAt(store, 20_000)).isEqualTo(2_005);
    assertThat(callAt(store, 21_500)).isEqualTo(505);
    assertThat(callAt(store, 22_000)).isEqualTo(5);
  }

  @Test
  void jitterIsUniformAndTheSameInEveryRun() throws CallFailure {
    StatementStore one = store("{'service-time': '1ms', 'jitter': '10ms'}");
    StatementStore two = store("{'service-time': '1ms', 'jitter': '10ms'}");
    double sum = 0;
    double least = Double.MAX_VALUE;
    double most = 0;
    for (int i = 0; i < 10_000; i++) {
      double millis = callAt(one, 0);
      assertThat(callAt(two, 0)).isEqualTo(millis);
      sum += millis;
      least = Math.min(least, millis);
      most = Math.max(most, millis);
    }
    assertThat(sum / 10_000).isBetween(5.9, 6.1);
    assertThat(least).isBetween(1.0, 1.01);
    assertThat(most).isBetween(10.99, 11.0);
  }

  @Test
  void failuresComeAtThePlannedShare() {
    StatementStore store = store("{'errors-percent': '25'}");
    int failed = 0;
    for (int i = 0; i < 10_000; i++) {
      try {
        callAt(store, 0);
      } catch (CallFailure e) {
        assertThat(e.effectExcluded()).isTrue();
        failed++;
      }
    }
    assertThat(failed).isBetween(2_400, 2_600);
  }

  @Test
  void optionsAreChecked() {
    assertThatThrownBy(() -> new NoopDriver().check(config("{'servicetime': '1ms'}")))
        .isInstanceOf(ConfigException.class)
        .satisfies(e -> assertThat(((ConfigException) e).nearest()).contains("service-time"));
    assertThatThrownBy(
            () ->
                new NoopDriver()
                    .check(
                        config(
                            "{'stalls': [{'at': '1s', 'for': '2s'}, {'at': '2s', 'for': '1s'}]}")))
        .hasMessage("two stalls overlap");
    assertThatThrownBy(() -> new NoopDriver().check(config("{'stalls': [{'at': '1s'}]}")))
        .isInstanceOf(ConfigException.class);
  }

  private static Target target(String errorsPercent) {
    JsonObject options = new JsonObject();
    options.addProperty("errors-percent", errorsPercent);
    return new NoopDriver()
        .open(
            new TargetConfig("t", "noop", "", "", "", "", options),
            new Session("r", 1, Duration.ofSeconds(1)));
  }

  private static Plan plan(boolean writes) {
    SqlStatement statement =
        new SqlStatement(
            new Place("transactions/t/postgresql.sql", 1), List.of("q"), List.of(), "q", writes);
    return new Plan("t", 0, Isolation.NONE, List.of(), List.of(statement), List.of(Step.ANY));
  }

  private static List<String> run(Plan plan, String errorsPercent) throws CallFailure {
    List<String> heard = new ArrayList<>();
    Answers answers =
        new Answers() {
          @Override
          public void begin() {
            heard.add("begin");
          }

          @Override
          public void row(int statement, List<?> wanted, Equality equality) {
            heard.add("row");
          }

          @Override
          public void ended(int statement, long rows) {
            heard.add("ended " + statement + " " + rows);
          }
        };
    Phases phases = new Marks(heard);
    target(errorsPercent).port(StatementStore.class).run(plan, new Object[0], answers, phases);
    return heard;
  }

  @Test
  void noRowComesAndNothingIsJudged() throws CallFailure {
    assertThat(run(plan(false), "0")).containsExactly("begin", "connected", "found", "ended 0 -1");
    assertThat(run(plan(true), "0"))
        .containsExactly("begin", "connected", "acknowledged", "ended 0 -1");
    assertThat(failureOf(() -> run(plan(true), "100"))).hasMessage("planned by errors-percent");
  }

  @Test
  void aQueryForValuesIsRefused() {
    StatementAdmin admin = target("0").port(StatementAdmin.class);
    assertThat(refusalOf(() -> admin.ask(plan(false).statements().get(0), Map.of(), 1)))
        .hasMessage(
            "noop cannot answer the query in transactions/t/postgresql.sql: it keeps no data");
  }
}
