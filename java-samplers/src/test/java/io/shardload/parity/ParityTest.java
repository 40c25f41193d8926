package io.shardload.parity;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.TestDatabases.Database;
import io.shardload.parity.WrongStore.Mistake;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.DocumentStoreWorkload;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.Find;
import io.shardload.workload.documentstore.port.Query;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;
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
    Parity.Result result = databases.compare(databases.other());
    assertThat(result.transactions()).extracting(Line::difference).containsOnlyNulls();
    assertThat(result.equal()).isTrue();
    assertThat(result.transactions())
        .extracting(Line::name)
        .containsExactlyElementsOf(new DocumentStoreWorkload().transactions());
    assertThat(TwoDatabases.line(result, "find-by-id-and-filter4-list").calls())
        .isEqualTo(TwoDatabases.CALLS + 4);
    // The crowd of 150: found by three of the four lists.
    assertThat(TwoDatabases.line(result, "find-by-id-and-filter4-list").loose()).isEqualTo(3);
    for (Database database : List.of(databases.left, databases.right)) {
      assertThat(database.ask("SELECT count(*) FROM shardload_scratch.data_table"))
          .containsExactly("554"); // 400 + 154 + 12 + 1 - 12 - 1
      assertThat(
              database.ask(
                  "SELECT filter3, filter5, edition FROM shardload_scratch.data_table"
                      + " WHERE filter1 = 'crowd-001'"))
          .containsExactly("9007199254740993 $a.b 12");
    }
  }

  @Test
  void anUpdateOfAllRowsOfATenantIsCaughtByItsCount() throws CallFailure {
    var difference =
        TwoDatabases.line(databases.compare(updatingTenants(false)), "update").difference();
    assertThat(difference.where()).isEqualTo("call 1");
    assertThat(difference.expected()).isEqualTo("1 row changed");
    assertThat(difference.sides()).containsEntry("one", "1 row changed");
    assertThat(difference.sides().get("other"))
        .matches("(9|10)\\d rows changed|1\\d\\d rows changed");
  }

  @Test
  void anUpdateOfAllRowsOfATenantIsCaughtByTheStateWhenItsCountLies() throws CallFailure {
    var difference =
        TwoDatabases.line(databases.compare(updatingTenants(true)), "update").difference();
    assertThat(difference.where()).isEqualTo("state after 17 calls");
    assertThat(difference.sides()).containsEntry("one", "567 rows"); // 400 + 154 + 12 + 1
    assertThat(difference.sides().get("other")).startsWith("567 rows, ").contains(" of row ");
  }

  @Test
  void aRowThatWasAlteredBesideTheCallsIsCaught() throws CallFailure {
    DocumentStore altering =
        WrongStore.of(
            databases.other(),
            "delete",
            (store, arguments) -> {
              databases.right.execute(
                  "UPDATE shardload_scratch.data_table SET filter3 = 424242"
                      + " WHERE filter1 = 'crowd-007'");
              return store.delete((UUID) arguments[0], (String) arguments[1], Phases.NONE);
            });
    var difference = TwoDatabases.line(databases.compare(altering), "delete").difference();
    assertThat(difference.where()).isEqualTo("state after 15 calls");
    assertThat(difference.expected()).isEqualTo("554 rows");
    assertThat(difference.sides())
        .containsEntry("one", "554 rows")
        .containsEntry("other", "554 rows, filter3 of row crowd-007 is 424242, not 7");
  }

  private static Change atEdition(Change change, int edition) {
    return new Change(
        change.filter2(), change.filter3(), change.filter4(), change.filter5(), edition);
  }

  /** Updates every row of the tenant, one by one; the editions of the others stay. */
  private DocumentStore updatingTenants(boolean lying) {
    DocumentStore store = databases.other();
    return WrongStore.of(
        store,
        "update",
        (right, arguments) -> {
          UUID id = (UUID) arguments[0];
          long changed =
              right.update(
                  id,
                  (String) arguments[1],
                  (int) arguments[2],
                  (Change) arguments[3],
                  Phases.NONE);
          if (changed == 1) {
            List<Document> all = new ArrayList<>();
            databases.otherAdmin().walk(row -> all.add(row));
            for (Document row : all) {
              if (row.id().equals(id) && !row.filter1().equals(arguments[1])) {
                changed +=
                    right.update(
                        id,
                        row.filter1(),
                        row.edition(),
                        atEdition((Change) arguments[3], row.edition()),
                        Phases.NONE);
              }
            }
          }
          return lying ? Math.min(1, changed) : changed;
        });
  }

  // A database that answers wrongly in a single way is caught, in that transaction alone.

  static Stream<Arguments> mistakesInConditions() {
    return Stream.of(
        wrong(
            "find-by-id-and-filter4-list",
            "first() where the other has a list",
            rows(r -> r.subList(0, Math.min(1, r.size())))),
        wrong(
            "find-by-id-and-filter2",
            "no LIMIT where the other has first()",
            find(
                q -> Find.BY_ID_AND_FILTER2_LIST.of(q.id(), q.values().get(0), q.values().get(0)))),
        wrong(
            "find-by-id-and-filter2-list",
            "$or as an object: its last branch",
            lists(v -> v.get(1))),
        wrong(
            "find-by-id-and-filter4-list",
            "$or as an object: its first branch",
            lists(v -> v.get(0))),
        wrong("find-by-id-and-filter4-and-filter5-list", "$or left empty", lists(v -> "nothing")),
        wrong(
            "find-by-id-and-filter3-lte",
            "< for <=",
            find(q -> q.find().of(q.id(), (long) q.values().get(0) - 1))));
  }

  static Stream<Arguments> mistakesInRows() {
    return Stream.of(
        wrong(
            "find-by-id-and-filter5", "LIMIT 50", rows(r -> r.subList(0, Math.min(50, r.size())))),
        wrong(
            "find-by-id-and-filter5",
            "OFFSET 1",
            rows(r -> r.subList(Math.min(1, r.size()), r.size()))),
        wrong("find-by-id-and-filter5", "a row twice", rows(r -> r.size() < 2 ? r : twice(r))),
        wrong(
            "find-by-id-and-filter1",
            "a long read as a double",
            rows(
                r -> each(r, d -> copy(d, (long) (double) d.filter3(), d.filter5(), d.edition())))),
        wrong(
            "find-by-id-and-filter1",
            "a missing field for null",
            rows(r -> each(r, d -> copy(d, d.filter3(), null, d.edition())))));
  }

  static Stream<Arguments> mistakesInWrites() {
    return Stream.of(
        wrong(
            "update",
            "the edition is lost",
            (store, arguments) ->
                store.update(
                    (UUID) arguments[0],
                    (String) arguments[1],
                    (int) arguments[2],
                    without((Change) arguments[3]),
                    Phases.NONE)),
        wrong(
            "update",
            "the edition is not compared",
            (store, arguments) -> {
              UUID id = (UUID) arguments[0];
              String filter1 = (String) arguments[1];
              List<Document> there =
                  store.find(Find.BY_ID_AND_FILTER1.of(id, filter1), Phases.NONE);
              return there.isEmpty()
                  ? (Object) 0L
                  : store.update(
                      id, filter1, there.get(0).edition(), (Change) arguments[3], Phases.NONE);
            }),
        wrong("delete", "nothing is deleted, and said to be", (store, arguments) -> 1L),
        wrong(
            "insert",
            "a key that is there is no error",
            (store, arguments) -> {
              try {
                store.insert((Document) arguments[0], Phases.NONE);
              } catch (CallFailure e) {
                assertThat(e.kind()).isEqualTo(CallFailure.DUPLICATE_KEY);
              }
              return WrongStore.DONE;
            }));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource({"mistakesInConditions", "mistakesInRows", "mistakesInWrites"})
  void aMistakeIsCaught(String transaction, String what, Mistake mistake) throws CallFailure {
    Parity.Result result =
        databases.compare(WrongStore.of(databases.other(), transaction, mistake));
    assertThat(result.equal()).as(what).isFalse();
    assertThat(TwoDatabases.line(result, transaction).difference()).isNotNull();
    assertThat(result.transactions().stream().filter(l -> l.difference() != null))
        .extracting(Line::name)
        .containsExactly(transaction);
  }

  private static Arguments wrong(String transaction, String what, Mistake mistake) {
    return Arguments.of(transaction, what, mistake);
  }

  /** Bends what a find returns. */
  private static Mistake rows(UnaryOperator<List<Document>> bend) {
    return (store, arguments) -> bend.apply(store.find((Query) arguments[0], Phases.NONE));
  }

  /** Bends what a find asks for. */
  private static Mistake find(UnaryOperator<Query> bend) {
    return (store, arguments) -> store.find(bend.apply((Query) arguments[0]), Phases.NONE);
  }

  /** One value for both of a list. */
  private static Mistake lists(Function<List<Object>, Object> bend) {
    return find(
        query -> {
          List<Object> values = new ArrayList<>(query.values());
          List<Object> list = values.subList(values.size() - 2, values.size());
          Object one = bend.apply(list);
          list.replaceAll(both -> one);
          return new Query(query.find(), query.id(), values);
        });
  }

  private static List<Document> twice(List<Document> rows) {
    List<Document> all = new ArrayList<>(rows.subList(0, rows.size() - 1));
    all.add(rows.get(0));
    return all;
  }

  private static List<Document> each(List<Document> rows, UnaryOperator<Document> change) {
    return rows.stream().map(change).toList();
  }

  private static Document copy(Document row, long filter3, String filter5, int edition) {
    return new Document(
        row.id(),
        row.filter1(),
        row.filter2(),
        filter3,
        row.filter4(),
        filter5,
        row.document(),
        edition);
  }

  private static Change without(Change change) {
    return new Change(change.filter2(), change.filter3(), change.filter4(), change.filter5(), 0);
  }
}
