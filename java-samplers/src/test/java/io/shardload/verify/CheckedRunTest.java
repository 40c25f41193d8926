package io.shardload.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.VerificationMode;
import io.shardload.driver.Header;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.noop.NoopDriver;
import io.shardload.workload.Checks;
import io.shardload.workload.Model;
import io.shardload.workload.Ports;
import io.shardload.workload.Progress;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Mutations that turned it red: the warm-up left out of the counts; a ledger without its end taken
 * for a whole one; the counts of earlier runs forgotten; a red check that settles.
 */
class CheckedRunTest {
  @TempDir private Path runs;
  private final CheckedFixture fixture = new CheckedFixture();
  private BundleFixture bundle;

  @BeforeEach
  void begin() throws Exception {
    fixture.begin(CheckedFixture.RUN);
    bundle = bundle(CheckedFixture.RUN);
  }

  /**
   * 2 calls in the warm-up, 12 in the hold: 3 with wrong rows were rolled back, 1 is unknown, 2
   * were refused. The done ones changed 20 rows.
   */
  private BundleFixture bundle(String run) throws Exception {
    BundleFixture made = new BundleFixture(runs.resolve(run));
    made.segment("warm-up", "warm-up", 1, 10).segment("hold", "hold", 1, 10);
    made.generator(0).done(0, "warm-up", "order", 2).done(1, "hold", "order", 6);
    made.generator(0).error(1, "hold", "order", "wrong-row", 3);
    made.generator(0).count(1, "hold", "order", "started", 1);
    made.generator(0).count(1, "hold", "order", "unknown", 1);
    made.generator(0).count(1, "hold", "order", "started", 2);
    made.generator(0).count(1, "hold", "order", "refused", 2);
    made.generator(0).count(1, "hold", "order", "changed_rows", 20);
    return made;
  }

  private Verification verify(Path path) throws Exception {
    return new Verifier(fixture.target, "shop", fixture.model())
        .verify(path, VerificationMode.ALL, "app", Duration.ofSeconds(1), Progress.UNHEARD);
  }

  @Test
  void checksSeeWhatAllCallsDidAndTheDataSetIsSettled() throws Exception {
    bundle.environment.add(
        "checks_before",
        JsonParser.parseString(
            "[{\"name\":\"sums\",\"when\":\"before\",\"verdict\":\"clean\",\"rows\":1,\"detail\":\"\"}]"));
    Verification result = verify(bundle.write());
    assertThat(fixture.asked)
        .containsExactly("after {order=Effects[done=8, unknown=1, refused=2, rows=20]}");
    assertThat(result.wrong()).isZero();
    JsonObject json = result.toJson();
    assertThat(json.get("verdict").getAsString()).isEqualTo("clean");
    assertThat(json.get("mode").getAsString()).isEqualTo("checks");
    assertThat(json.get("scope").getAsString()).isEqualTo("single documents were not verified");
    assertThat(json.get("walked").getAsLong()).isZero();
    assertThat(json.getAsJsonArray("checks").toString())
        .isEqualTo(
            "[{\"name\":\"sums\",\"when\":\"before\",\"verdict\":\"clean\",\"rows\":1,\"detail\":\"\"},"
                + "{\"name\":\"sums\",\"when\":\"after\",\"verdict\":\"clean\",\"rows\":3,\"detail\":\"\"}]");
    Header settled = fixture.header();
    assertThat(settled.clean()).isTrue();
    assertThat(settled.generation()).isEqualTo(1);
    assertThat(settled.highWater()).isEqualTo(12);
  }

  /** Single documents are not followed, so nothing is known of single writes. */
  @Test
  void aRunWithFaultsHasNoLostWrites() throws Exception {
    bundle.run.add("faults", JsonParser.parseString("[{\"name\":\"kill-1\"}]"));
    assertThat(verify(bundle.write()).toJson().has("lost_writes")).isFalse();
  }

  @Test
  void countsAddUpOverRuns() throws Exception {
    verify(bundle.write());
    fixture.begin("run-2");
    verify(bundle("run-2").write());
    assertThat(fixture.asked.get(1))
        .isEqualTo("after {order=Effects[done=16, unknown=2, refused=4, rows=40]}");
    // By hand, long after: no run's bundle is at hand, but the counts are.
    verify(Files.createDirectory(runs.resolve("empty")));
    assertThat(fixture.asked.get(2)).isEqualTo(fixture.asked.get(1));
    JsonArray before = CheckedRun.before(fixture.target, fixture.model(), fixture.header());
    assertThat(before.get(0).getAsJsonObject().get("when").getAsString()).isEqualTo("before");
    assertThat(fixture.asked.get(3))
        .isEqualTo("before {order=Effects[done=16, unknown=2, refused=4, rows=40]}");
  }

  /** Of data that an earlier version has settled nobody knows how many rows were changed. */
  @Test
  void whatAnEarlierVersionDidNotCountStaysUnknown() throws Exception {
    verify(bundle.write());
    Header settled = fixture.header();
    fixture
        .target
        .dataSets()
        .writeChunk(
            settled.generation(),
            -2,
            "{\"order\": {\"done\": 8, \"unknown\": 1}}".getBytes(StandardCharsets.UTF_8));
    fixture.begin("run-2");
    verify(bundle("run-2").write());
    assertThat(fixture.asked.get(1))
        .isEqualTo("after {order=Effects[done=16, unknown=2, refused=-1, rows=-1]}");
  }

  @Test
  void aRedCheckLeavesTheDataSetDirty() throws Exception {
    fixture.after = Checks.Verdict.WRONG;
    Verification result = verify(bundle.write());
    assertThat(result.verdict()).isEqualTo("wrong");
    assertThat(result.wrong()).isEqualTo(1);
    assertThat(fixture.header().dirtyRun()).isEqualTo(CheckedFixture.RUN);
    assertThat(verify(bundle.directory).verdict()).isEqualTo("wrong");
  }

  @Test
  void aRedCheckOnASettledDataSetUnsettlesIt() throws Exception {
    assertThat(verify(bundle.write()).verdict()).isEqualTo("clean");
    fixture.after = Checks.Verdict.WRONG;
    Path nobody = Files.createDirectory(runs.resolve("nobody"));
    for (int again = 0; again < 2; again++) {
      assertThat(verify(nobody).verdict()).isEqualTo("wrong");
      assertThat(fixture.header().dirtyRun()).isEqualTo(Header.WRONG_DATA);
    }
    fixture.after = Checks.Verdict.CLEAN;
    assertThat(verify(nobody).verdict()).isEqualTo("clean");
    assertThat(fixture.header().clean()).isTrue();
  }

  @Test
  void aLedgerWithoutItsEndIsNotVerifiable() throws Exception {
    bundle.generator(0).ended = false;
    Verification result = verify(bundle.write());
    assertThat(result.verdict()).isEqualTo("not run");
    assertThat(result.reason())
        .isEqualTo("not verifiable: the ledger of generator 0 is incomplete");
    assertThat(fixture.asked).isEmpty();
    assertThat(fixture.header().clean()).isFalse();
    assertThat(
            new Verifier(fixture.target, "shop", fixture.model())
                .settleOnly(bundle.directory, "interrupted")
                .reason())
        .isEqualTo(
            "interrupted; the ledger of generator 0 is incomplete, so the data"
                + " set stays dirty");
  }

  @Test
  void aLoadHostWithoutALedgerIsNotVerifiable() throws Exception {
    bundle.hosts("a", "b");
    assertThat(verify(bundle.write()).reason())
        .isEqualTo("not verifiable: generator 1 left no ledger");
  }

  @Test
  void anInterruptedRunIsSettledByItsLedgersAlone() throws Exception {
    Verification result =
        new Verifier(fixture.target, "shop", fixture.model())
            .settleOnly(bundle.write(), "interrupted");
    assertThat(result.verdict()).isEqualTo("not run");
    assertThat(fixture.asked).isEmpty();
    fixture.begin("run-2");
    verify(bundle("run-2").write());
    assertThat(fixture.asked)
        .containsExactly("after {order=Effects[done=16, unknown=2, refused=4, rows=40]}");
  }

  @Test
  void aMarkThatAFailoverLostIsPutBack() throws Exception {
    BegunRun.write(bundle.write(), fixture.header());
    Header dirty = fixture.header();
    fixture.target.dataSets().replace(dirty, dirty.dirtiedBy(""));
    fixture.after = Checks.Verdict.WRONG;
    assertThat(verify(bundle.directory).verdict()).isEqualTo("wrong");
    assertThat(fixture.header().dirtyRun()).isEqualTo(CheckedFixture.RUN);
  }

  @Test
  void aRunThatSomebodyElseHasSettledIsNotCountedTwice() throws Exception {
    verify(bundle.write());
    assertThat(verify(bundle.directory).reason())
        .isEqualTo(
            "another verification has already settled this run, so its calls cannot be counted");
  }

  @Test
  void dataOfTheUsersOwnHasTheCountsOfTheRunAlone() throws Exception {
    fixture.record = false;
    assertThat(verify(bundle.write()).verdict()).isEqualTo("clean");
    verify(Files.createDirectory(runs.resolve("empty")));
    CheckedRun.before(fixture.target, fixture.model(), fixture.header());
    assertThat(fixture.asked)
        .containsExactly(
            "after {order=Effects[done=8, unknown=1, refused=2, rows=20]}",
            "after null",
            "before {}");
    assertThat(fixture.header().generation()).isZero();
  }

  @Test
  void dataThatIsWrongBeforeTheRunEndsItThere() {
    fixture.before = Checks.Verdict.WRONG;
    assertThatThrownBy(() -> CheckedRun.before(fixture.target, fixture.model(), fixture.header()))
        .isInstanceOf(WrongDataException.class)
        .hasMessage("check sums found wrong data before the run: 3 rows; nothing was started");
  }

  @Test
  void aCheckThatFailsIsNoCleanOne() throws Exception {
    fixture.after = Checks.Verdict.FAILED;
    Verification result = verify(bundle.write());
    assertThat(result.verdict()).isEqualTo("not run");
    assertThat(result.reason()).isEqualTo("check sums: the target failed");
    assertThat(fixture.header().dirtyRun()).isEqualTo(CheckedFixture.RUN);
  }

  /** Another check has found the data wrong; that holds whatever the failed one would say. */
  @Test
  void aCheckThatFailsHidesNoRedOne() throws Exception {
    fixture.after = Checks.Verdict.FAILED;
    fixture.besides = List.of(new Checks.Answer("red", Checks.Verdict.WRONG, 1, "1 row"));
    Verification result = verify(bundle.write());
    assertThat(result.verdict()).isEqualTo("wrong");
    assertThat(result.wrong()).isEqualTo(1);
    assertThat(result.checks().get(0).getAsJsonObject().get("verdict").getAsString())
        .isEqualTo("not run");
  }

  @Test
  void withoutAnAnsweredCheckNothingIsVerified() throws Exception {
    fixture.after = Checks.Verdict.NOT_RUN;
    Verification result = verify(bundle.write());
    assertThat(result.verdict()).isEqualTo("skipped");
    assertThat(result.reason()).isEqualTo("no check of the workload was run");
    assertThat(fixture.header().clean()).isTrue();
  }

  /**
   * A fake target that keeps data, and a fake model whose checks give the answers that a test sets.
   */
  private static final class CheckedFixture implements Checks {
    static final String RUN = "run-1";

    final Target target = target();
    final List<String> asked = new ArrayList<>();
    Verdict before = Verdict.CLEAN;
    Verdict after = Verdict.CLEAN;
    boolean record = true;
    List<Answer> besides = List.of();

    /** The noop target, but for its word that it keeps data. */
    private static Target target() {
      Target noop =
          new NoopDriver()
              .open(
                  new TargetConfig("t", "noop", "", "", "", "", new JsonObject()),
                  new Session("r", 1, Duration.ofSeconds(1)));
      return (Target)
          Proxy.newProxyInstance(
              Target.class.getClassLoader(),
              new Class<?>[] {Target.class},
              (self, method, args) ->
                  method.getName().equals("keepsData") ? true : method.invoke(noop, args));
    }

    /** Answers only what a verification of checks asks of it. */
    Model<?> model() {
      return (Model<?>)
          Proxy.newProxyInstance(
              Model.class.getClassLoader(),
              new Class<?>[] {Model.class},
              (self, method, args) ->
                  switch (method.getName()) {
                    case "checks" -> Optional.of(this);
                    case "keepsRecord" -> record;
                    case "followsDocuments" -> false;
                    case "shape" -> Map.of("seed", "1");
                    case "option" -> "";
                    case "tables" -> List.of();
                    case "documents" -> 10L;
                    default -> throw new AssertionError("asked for " + method);
                  });
    }

    Header header() {
      try {
        return target.dataSets().header().orElseThrow();
      } catch (io.shardload.workload.CallFailure e) {
        throw new AssertionError(e);
      }
    }

    /** Makes the data set dirty, as the verb begin does. */
    Header begin(String run) throws Exception {
      if (target.dataSets().header().isEmpty()) {
        target
            .dataSets()
            .create(new Header("shop", Map.of("seed", "1"), 10, 10, 12, 0, "", "set", List.of()));
      }
      Header clean = header();
      target.dataSets().replace(clean, clean.dirtiedBy(run));
      return header();
    }

    @Override
    public boolean any(boolean isBefore) {
      return true;
    }

    @Override
    public List<Answer> ask(Ports ports, boolean isBefore, Map<String, Effects> effects) {
      asked.add((isBefore ? "before " : "after ") + effects);
      Verdict verdict = isBefore ? before : after;
      String detail =
          verdict == Verdict.WRONG
              ? "3 rows"
              : verdict == Verdict.FAILED ? "the target failed" : "";
      return Stream.concat(Stream.of(new Answer("sums", verdict, 3, detail)), besides.stream())
          .toList();
    }
  }
}
