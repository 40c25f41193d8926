package io.shardload.parity;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.parity.WrongStore.Mistake;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A database that answers wrongly in a single way is caught, in that transaction alone. */
class ParityMistakesTest {
  @AutoClose private TwoDatabases databases;

  @BeforeEach
  void open() throws CallFailure {
    databases = new TwoDatabases();
  }

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
        databases.compare(WrongStore.of(databases.other().store(), transaction, mistake));
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
