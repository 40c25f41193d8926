package io.shardload.calibrate;

import static io.shardload.driver.Caught.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.shardload.bundle.BundleFixture;
import io.shardload.calibrate.Figure.Goal.Verdict;
import io.shardload.dataset.DataSet;
import io.shardload.dataset.StateChunks;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.generator.RunConfig;
import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.statistics.Interval;
import io.shardload.verify.CheckedRun;
import io.shardload.verify.WrongDataException;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Checks.Effects;
import io.shardload.workload.Making;
import io.shardload.workload.Model;
import io.shardload.workload.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rounds of the plain loop on a folder and a real PostgreSQL; no time is judged. */
class BareLoopTest {
  private static final String FOLDER =
      "'workload':{'name':'shop','seed':1,'folder':'%s','data':{'tables':"
          + "{'customers':{'rows':100,'columns':{'id':{'type':'sequential'}}},"
          + "'visits':{'rows':0}}},'parameters':{'customer':{'type':'reference',"
          + "'table':'customers','column':'id'}},'transactions':{'find':{'rows':'one'},"
          + "'visit':{'isolation':'default','steps':[{'rows':'one'},{'rows':'one'}]},"
          + "'lose':{'rows':'none'}}}";

  @TempDir private Path folder;
  private final Database database = TestDatabases.fresh();
  private RunConfig config;

  private static final Figure.Goal AT_LEAST = Figure.Goal.atLeast(0.97, "");
  private static final Figure.Goal AT_MOST = Figure.Goal.atMost(1.10, "");

  private static final String END = "{\"final\":true,\"format\":2}\n";

  @TempDir Path bundle;

  @BeforeEach
  void write() throws Exception {
    file("workload.yml", "# stresses nothing\n");
    file(
        "schema/postgresql.sql",
        """
        CREATE TABLE customers (id bigint PRIMARY KEY, visits int NOT NULL DEFAULT 0);
        CREATE TABLE visits (id bigint);
        """);
    file("transactions/find/postgresql.sql", "SELECT id FROM customers WHERE id = :customer");
    file("transactions/lose/postgresql.sql", "SELECT id FROM customers WHERE id = :customer");
    file(
        "transactions/visit/postgresql.sql",
        """
        UPDATE customers SET visits = visits + 1 WHERE id = :customer;
        INSERT INTO visits VALUES (:customer)\
        """);
    file(
        "checks/visits-are-counted/postgresql.sql",
        "SELECT n FROM (SELECT count(*) AS n FROM visits) AS v WHERE n <> :done_visit");
    config = config("find");
    try (Target target = config.driver().open(config.target(), config.session())) {
      Model<?> model = config.model();
      model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD);
      model.load(target, 0, 100, done -> {});
    }
  }

  private void file(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private RunConfig config(String transaction) {
    String json =
        "{'run':{'id':'r'},'target':{'name':'t','driver':'postgresql','url':'%s','user':'%s'},"
            + FOLDER
            + ",'mix':{'%s':100},'load':{'model':'closed','workers':2,'segments':["
            + "{'name':'hold','kind':'hold','seconds':1,'from_workers':2,'to_workers':2}]}}";
    String user = database.server().user();
    return RunConfig.read(
        BundleFixture.parse(json.formatted(database.url(), user, folder, transaction)));
  }

  private long number(String sql) {
    return Long.parseLong(database.ask(sql).get(0));
  }

  @Test
  void eachReadIsCounted() throws Exception {
    Measured round = BareLoop.round(config, true, 1);
    assertThat(round.operations()).isPositive().isLessThan(round.all());
    assertThat(round.cpuNanos()).isPositive();
  }

  @Test
  void aTransactionOfSeveralStatementsIsRunAsAWhole() throws Exception {
    Measured round = BareLoop.round(config("visit"), true, 1);
    assertThat(round.all()).isPositive();
    assertThat(number("SELECT count(*) FROM visits")).isEqualTo(round.all());
    assertThat(number("SELECT sum(visits) FROM customers")).isEqualTo(round.all());
    // Both draw alike, so the plain loop asks for many customers.
    assertThat(number("SELECT count(*) FROM customers WHERE visits > 0")).isGreaterThan(90);
  }

  @Test
  void whatTheLoopWroteIsCountedForTheChecks() throws Exception {
    RunConfig visit = config("visit");
    try (Target target = visit.driver().open(visit.target(), visit.session())) {
      Map<String, String> shape = visit.model().shape();
      target.dataSets().create(new Header("shop", shape, 100, 100, 100, 0, "", "set", List.of()));
      Header marked = StatementCalls.mark(target, "r");
      assertThat(target.dataSets().header()).contains(marked);
      Measured round = BareLoop.round(visit, true, 1);
      assertThatThrownBy(() -> CheckedRun.before(target, visit.model(), marked))
          .isInstanceOf(WrongDataException.class);
      StatementCalls.settle(target, marked, Map.of("visit", new Effects(round.all(), 0, 0, 0)));
      Header clean = target.dataSets().header().orElseThrow();
      assertThat(clean.clean()).isTrue();
      assertThat(CheckedRun.before(target, visit.model(), clean)).hasSize(1);
    }
  }

  @Test
  void aWrongAnswerEndsTheRound() {
    CallFailure failure = failureOf(() -> BareLoop.round(config("lose"), true, 1));
    assertThat(failure.kind()).isEqualTo("wrong-row");
  }

  private static RunConfig pointReads(Database documents) {
    String json =
        "{'run':{'id':'r'},'target':{'name':'t','driver':'postgresql','url':'%s','user':'%s'},"
            + "'workload':{'name':'document-store','data':{'documents':40,'document-size':'64B'}},"
            + "'mix':{'find-by-id-and-filter1':100},'load':{'model':'closed','workers':2,"
            + "'segments':[{'name':'hold','kind':'hold','seconds':1,'from_workers':2,"
            + "'to_workers':2}]}}";
    String user = documents.server().user();
    return RunConfig.read(BundleFixture.parse(json.formatted(documents.url(), user)));
  }

  /** Mutation: take all loaded documents for existing ones. */
  @Test
  void aDocumentThatAnEarlierRunHasDeletedIsNotAskedFor() throws Exception {
    Database documents = TestDatabases.fresh();
    RunConfig reads = pointReads(documents);
    try (Target target = reads.driver().open(reads.target(), reads.session())) {
      DataSet.open(target, "document-store", reads.model(), false).load(done -> {});
      States states = States.loaded(40);
      for (int ordinal = 0; ordinal < 39; ordinal++) {
        states.set(ordinal, State.of(State.DELETED, 0));
      }
      String last = reads.model().nameOf(39);
      StateChunks.settle(target.dataSets(), target.dataSets().header().orElseThrow(), states);
      documents.execute("DELETE FROM data_table WHERE filter1 <> '" + name(last) + "'");
      assertThat(documents.ask("SELECT count(*) FROM data_table")).containsExactly("1");
    }
    assertThat(BareLoop.round(reads, true, 1).all()).isPositive();
  }

  private static String name(String words) {
    return words.substring(words.lastIndexOf(' ') + 1);
  }

  /** Reads that find nothing would cost less. */
  @Test
  void aLostDocumentEndsTheRound() throws Exception {
    Database documents = TestDatabases.fresh();
    RunConfig reads = pointReads(documents);
    try (Target target = reads.driver().open(reads.target(), reads.session())) {
      DataSet.open(target, "document-store", reads.model(), false).load(done -> {});
    }
    documents.execute("DELETE FROM data_table");
    assertThat(failureOf(() -> BareLoop.round(reads, true, 1)).kind()).isEqualTo("not-found");
  }

  /** This JVM's own, of which a thread with a worker's name is busy. */
  @Test
  void theTimeOfThreadsIsToldByTheirNames() throws Exception {
    Optional<ThreadTimes> told = ThreadTimes.of(ProcessHandle.current().pid());
    assertThat(told.isPresent()).isEqualTo(Files.exists(Path.of("/proc/self/task")));
    ThreadTimes before = told.orElse(ThreadTimes.NONE);
    Thread busy =
        new Thread(
            () -> {
              long end = System.nanoTime() + 300_000_000L;
              while (System.nanoTime() < end) {
                Thread.onSpinWait();
              }
            },
            "workers (1) 1-1");
    busy.start();
    ThreadTimes during = before;
    while (busy.isAlive()) {
      during = ThreadTimes.of(ProcessHandle.current().pid()).orElse(during);
    }
    assertThat(during.minus(before).workersUser() > 0).isEqualTo(told.isPresent());
    assertThat(new ThreadTimes(6, 3, 1, 0).parts(20))
        .isEqualTo("workers 12.00 user + 6.00 kernel, JIT 2.00, rest 0.00");
    assertThat(ThreadTimes.NONE.parts(20)).isEmpty();
    assertThat(new ThreadTimes(6, 3, 1, 0).jitPercent()).isEqualTo(10);
    assertThat(ThreadTimes.NONE.jitPercent()).isZero();
  }

  /** A fake, which says what pgbench of PostgreSQL 15 says. */
  @Test
  void whatPgbenchSaysIsMeasured(@TempDir Path fake) throws Exception {
    Path program = fake.resolve("pgbench");
    Files.writeString(
        program,
        """
        #!/bin/sh
        sleep 2.2
        echo "number of transactions actually processed: 4242"
        echo "initial connection time = 3.1 ms"
        echo "tps = 1500.25 (without initial connection time)"
        """);
    assertThat(program.toFile().setExecutable(true)).isTrue();
    Measured round = new Pgbench(program, config.target(), fake.resolve("log")).round(2, 1);
    assertThat(round.all()).isEqualTo(4242);
    assertThat(round.perSecond()).isCloseTo(1500, within(1.0));
    Files.writeString(program, "#!/bin/sh\necho no such role\n");
    assertThatThrownBy(() -> new Pgbench(program, config.target(), fake.resolve("log")).round(2, 1))
        .hasMessage("pgbench: no such role");
  }

  // Only an interval that lies wholly on one side of the goal decides.

  @Test
  void atLeast() {
    assertThat(AT_LEAST.verdict(new Interval(0.99, 0.97, 1.01, 20))).isEqualTo(Verdict.MET);
    assertThat(AT_LEAST.verdict(new Interval(0.99, 0.96, 1.02, 20))).isEqualTo(Verdict.UNDECIDED);
    assertThat(AT_LEAST.verdict(new Interval(0.95, 0.93, 0.97, 20))).isEqualTo(Verdict.UNDECIDED);
    assertThat(AT_LEAST.verdict(new Interval(0.94, 0.93, 0.95, 20))).isEqualTo(Verdict.MISSED);
  }

  @Test
  void atMost() {
    assertThat(AT_MOST.verdict(new Interval(1.08, 1.06, 1.10, 20))).isEqualTo(Verdict.MET);
    assertThat(AT_MOST.verdict(new Interval(1.08, 1.05, 1.11, 20))).isEqualTo(Verdict.UNDECIDED);
    assertThat(AT_MOST.verdict(new Interval(1.12, 1.11, 1.13, 20))).isEqualTo(Verdict.MISSED);
  }

  private static double[] ones(int rounds) {
    return DoubleStream.generate(() -> 1).limit(rounds).toArray();
  }

  @Test
  void fewRoundsDecideNothing() {
    assertThat(Figure.ofRatios("x: y", AT_LEAST, ones(19), "").verdict())
        .isEqualTo(Verdict.UNDECIDED);
    assertThat(Figure.ofRatios("x: y", AT_LEAST, ones(20), "").verdict()).isEqualTo(Verdict.MET);
  }

  @Test
  void aMeasurementThatCannotBeTrustedMeetsNothing() {
    Figure figure = Figure.ofRatios("x: y", AT_LEAST, ones(20), "done 2");
    assertThat(figure.checked("counted 2", true).verdict()).isEqualTo(Verdict.MET);
    assertThat(figure.checked("counted 1", false).verdict()).isEqualTo(Verdict.INVALID);
    assertThat(figure.checked("counted 1", false).detail()).isEqualTo("done 2, counted 1");
  }

  // A hand-written ledger of four seconds, of which the second and third are the window.

  @Test
  void countsBetweenTheFirstLineAndTheOneThatEndsTheWindow() throws IOException {
    write(line(1, 10, 100) + line(2, 30, 1000) + line(3, 60, 2000) + line(4, 90, 4) + END);
    // 1000 + 2000 transactions from second 1 to second 3, for 60 - 10 ns of processor time.
    assertThat(Measured.ofLedger(bundle, 2))
        .isEqualTo(new Measured(3000, 2_000_000_000L, 50, 3104, ThreadTimes.NONE));
  }

  @Test
  void refusesALedgerThatProvesNothing() throws IOException {
    String lines = line(1, 10, 100) + line(2, 30, 1000) + line(3, 60, 2000);
    assertRefused(lines, 1, "final");
    assertRefused(lines + END, 3, "too late");
    String failed = lines.replace("\"done\":1000", "\"done\":999") + line(4, 90, 4) + END;
    assertRefused(failed, 1, "3104");
  }

  private void assertRefused(String ledger, int seconds, String why) throws IOException {
    write(ledger);
    assertThatThrownBy(() -> Measured.ofLedger(bundle, seconds)).hasMessageContaining(why);
  }

  private static String line(int toSeconds, long cpuNanos, long done) {
    return ("{\"to_ns\":%d000000000,\"cpu_ns\":%d,\"segments\":{\"hold\":{\"x\":"
            + "{\"started\":%d,\"done\":%d,\"missing\":0}}}}%n")
        .formatted(toSeconds, cpuNanos, done, done);
  }

  private void write(String ledger) throws IOException {
    Path folder = Files.createDirectories(bundle.resolve("latencies"));
    Files.writeString(folder.resolve("generator-0.jsonl"), ledger);
  }
}
