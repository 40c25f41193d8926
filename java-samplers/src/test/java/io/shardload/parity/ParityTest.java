package io.shardload.parity;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.TestDatabases.Database;
import io.shardload.parity.TwoDatabases.Mistake;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Equality;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is equal, and what the state after the writes tells, on two real PostgreSQL databases. */
class ParityTest {
  @AutoClose private TwoDatabases databases;

  @BeforeEach
  void open() throws CallFailure {
    databases = new TwoDatabases();
  }

  @Test
  void allAreEqualAndTheStateIsWhatTheWritesMakeOfIt() throws CallFailure {
    Parity.Result result = databases.compare();
    assertThat(result.transactions()).extracting(Line::difference).containsOnlyNulls();
    assertThat(result.equal()).isTrue();
    assertThat(result.transactions())
        .extracting(Line::name)
        .containsExactlyElementsOf(DocumentStoreData.TRANSACTIONS.stream().sorted().toList());
    assertThat(result.transactions())
        .allMatch(line -> line.calls() == TwoDatabases.CALLS)
        .allMatch(line -> !line.name().startsWith("find") || line.rows() > 0);
    for (Database database : List.of(databases.left, databases.right)) {
      assertThat(database.ask("SELECT count(*), sum(edition) FROM shardload_scratch.data_table"))
          .containsExactly("400 12"); // 400 + 12 inserted - 12 deleted, 12 updates
    }
  }

  @Test
  void anUpdateOfAllRowsOfATenantIsCaughtByTheState() throws CallFailure {
    Mistake mistake =
        (store, plan, arguments, answers) -> {
          store.run(plan, arguments, answers, Phases.NONE);
          databases.right.execute("UPDATE shardload_scratch.data_table SET filter3 = filter3 + 1");
        };
    var difference = TwoDatabases.line(databases.compare("update", mistake), "update").difference();
    assertThat(difference.where()).isEqualTo("state after 12 calls");
    assertThat(difference.sides()).containsEntry("one", "400 rows");
    assertThat(difference.sides().get("other")).contains("wrong: filter3");
  }

  @Test
  void aRowThatWasAlteredBesideTheCallsIsCaught() throws CallFailure {
    Mistake mistake =
        (store, plan, arguments, answers) -> {
          databases.right.execute(
              "UPDATE shardload_scratch.data_table SET document = 'x' WHERE filter1 ="
                  + " (SELECT min(filter1) FROM shardload_scratch.data_table)");
          store.run(plan, arguments, answers, Phases.NONE);
        };
    var difference = TwoDatabases.line(databases.compare("delete", mistake), "delete").difference();
    assertThat(difference.where()).startsWith("state after 12 calls");
    assertThat(difference.sides().get("other")).contains("wrong: document");
  }

  // A database that answers wrongly in a single way is caught, in that transaction alone.

  static Stream<Arguments> mistakesInConditions() {
    return Stream.of(
        wrong("find-by-id-and-filter4-list", "its first value twice", bent("other_filter4", "")),
        wrong(
            "find-by-id-and-filter2-list",
            "its second value alone",
            bent("data_table.filter2", "")),
        wrong("find-by-id-and-filter4-and-filter5-list", "no pair", bent("data_table.filter4", "")),
        wrong("find-by-id-and-filter3-lte", "< for <=", less()));
  }

  static Stream<Arguments> mistakesInRows() {
    return Stream.of(
        wrong("find-by-id-and-filter5", "LIMIT 1", rows(r -> r.subList(0, Math.min(1, r.size())))),
        wrong(
            "find-by-id-and-filter5",
            "OFFSET 1",
            rows(r -> r.subList(Math.min(1, r.size()), r.size()))),
        wrong("find-by-id-and-filter5", "a row twice", rows(r -> r.size() < 2 ? r : twice(r))),
        wrong("find-by-id-and-filter1", "a wrong number", column("filter3", v -> (Long) v + 1)),
        wrong("find-by-id-and-filter1", "a text as another", column("filter5", v -> v + " ")),
        wrong("find-by-id-and-filter1", "a missing field", column("document", v -> null)));
  }

  static Stream<Arguments> mistakesInWrites() {
    return Stream.of(
        wrong("update", "the edition is lost", bent("data_table.edition", 0)),
        wrong(
            "delete",
            "nothing is deleted, and said to be",
            (store, plan, arguments, answers) -> {
              answers.begin();
              answers.ended(0, 1);
            }),
        wrong(
            "insert",
            "nothing is inserted, and said to be",
            (store, plan, arguments, answers) -> {
              answers.begin();
              answers.ended(0, 1);
            }));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource({"mistakesInConditions", "mistakesInRows", "mistakesInWrites"})
  void aMistakeIsCaught(String transaction, String what, Mistake mistake) throws CallFailure {
    Parity.Result result = databases.compare(transaction, mistake);
    assertThat(result.equal()).as(what).isFalse();
    assertThat(TwoDatabases.line(result, transaction).difference()).isNotNull();
    assertThat(result.transactions().stream().filter(l -> l.difference() != null))
        .extracting(Line::name)
        .containsExactly(transaction);
  }

  private static Arguments wrong(String transaction, String what, Mistake mistake) {
    return Arguments.of(transaction, what, mistake);
  }

  /** Another value of an argument. */
  private static Mistake bent(String argument, Object value) {
    return (store, plan, arguments, answers) -> {
      Object[] others = arguments.clone();
      others[plan.arguments().indexOf(argument)] = value;
      store.run(plan, others, answers, Phases.NONE);
    };
  }

  private static Mistake less() {
    return (store, plan, arguments, answers) -> {
      Object[] others = arguments.clone();
      int bound = plan.arguments().indexOf("data_table.filter3");
      others[bound] = (Long) others[bound] - 1;
      store.run(plan, others, answers, Phases.NONE);
    };
  }

  /** Bends what a find returns. */
  private static Mistake rows(UnaryOperator<List<List<?>>> bend) {
    return (store, plan, arguments, answers) ->
        store.run(plan, arguments, new Bent(answers, bend), Phases.NONE);
  }

  /** Bends a column. */
  private static Mistake column(String name, UnaryOperator<Object> bend) {
    return (store, plan, arguments, answers) -> {
      int index = plan.steps().get(0).wanted().indexOf(name);
      store.run(
          plan,
          arguments,
          new Bent(
              answers, all -> all.stream().<List<?>>map(row -> with(row, index, bend)).toList()),
          Phases.NONE);
    };
  }

  private static List<Object> with(List<?> row, int index, UnaryOperator<Object> bend) {
    List<Object> all = new ArrayList<>(row);
    all.set(index, bend.apply(all.get(index)));
    return all;
  }

  private static List<List<?>> twice(List<List<?>> rows) {
    List<List<?>> all = new ArrayList<>(rows.subList(0, rows.size() - 1));
    all.add(rows.get(0));
    return all;
  }

  /** Hands rows on when all are there. */
  private static final class Bent implements Answers {
    private final Answers answers;
    private final UnaryOperator<List<List<?>>> bend;
    private final List<List<?>> rows = new ArrayList<>();
    private Equality equality;

    Bent(Answers answers, UnaryOperator<List<List<?>>> bend) {
      this.answers = answers;
      this.bend = bend;
    }

    @Override
    public void begin() {
      rows.clear();
      answers.begin();
    }

    @Override
    public void row(int statement, List<?> wanted, Equality equal) {
      rows.add(new ArrayList<>(wanted));
      equality = equal;
    }

    @Override
    public void ended(int statement, long count) throws CallFailure {
      List<List<?>> bent = bend.apply(rows);
      bent.forEach(row -> answers.row(statement, row, equality));
      answers.ended(statement, bent.size());
    }
  }
}
