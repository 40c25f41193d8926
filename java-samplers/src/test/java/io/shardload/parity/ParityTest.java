package io.shardload.parity;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.Change;
import io.shardload.workload.documentstore.Document;
import io.shardload.workload.documentstore.DocumentStore;
import io.shardload.workload.documentstore.DocumentStoreAdmin;
import io.shardload.workload.documentstore.DocumentStoreModel;
import io.shardload.workload.documentstore.DocumentStoreScratch;
import io.shardload.workload.documentstore.DocumentStoreWorkload;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Two real PostgreSQL databases, of which one answers wrongly in a single way. */
class ParityTest {
  private static final String DATA =
      "{\"documents\": 400, \"tenants\": 4, \"document-size\": \"64B\"}";
  private static final int CALLS = 12;

  private final Database left = TestDatabases.fresh();
  private final Database right = TestDatabases.fresh();
  private final DocumentStoreModel model =
      (DocumentStoreModel)
          new DocumentStoreWorkload()
              .model(
                  5, new Options("workload.data", JsonParser.parseString(DATA).getAsJsonObject()));
  private Target one;
  private Target other;
  private DocumentStoreScratch scratch;
  private DocumentStoreScratch otherScratch;

  @BeforeEach
  void open() throws CallFailure {
    one = left.open("{}");
    other = right.open("{'statements': 'simple'}");
    scratch = one.port(DocumentStoreAdmin.class).scratch();
    otherScratch = other.port(DocumentStoreAdmin.class).scratch();
  }

  @AfterEach
  void close() throws CallFailure {
    scratch.close();
    otherScratch.close();
    one.close();
    other.close();
  }

  @Test
  void tenOfTenAreEqualAndTheStateIsWhatTheWritesMakeOfIt() throws CallFailure {
    Parity.Result result = compare(otherScratch.store());
    assertThat(result.transactions()).extracting(Line::difference).containsOnlyNulls();
    assertThat(result.equal()).isTrue();
    assertThat(result.transactions()).hasSize(10);
    assertThat(line(result, "find-by-id-and-filter4-list").calls()).isEqualTo(CALLS + 4);
    // The crowd of 150: found by three of the four lists.
    assertThat(line(result, "find-by-id-and-filter4-list").loose()).isEqualTo(3);
    for (Database database : List.of(left, right)) {
      assertThat(database.ask("SELECT count(*) FROM shardload_scratch.data_table"))
          .containsExactly("554"); // 400 + 154 + 12 + 1 - 12 - 1
      assertThat(
              database.ask(
                  "SELECT filter3, filter5, edition FROM shardload_scratch.data_table"
                      + " WHERE filter1 = 'crowd-001'"))
          .containsExactly("9007199254740993 $a.b 12");
    }
  }

  static Stream<Arguments> mistakes() {
    return Stream.of(
        wrong(
            "find-by-id-and-filter4-list",
            "first() where the other has a list",
            rows(r -> r.subList(0, Math.min(1, r.size())))),
        wrong(
            "find-by-id-and-filter2",
            "no LIMIT where the other has first()",
            (store, method, arguments) ->
                method.equals("findByIdAndFilter2")
                    ? store.findByIdAndFilter2List(
                        (UUID) arguments[0], List.of((String) arguments[1]), Phases.NONE)
                    : null),
        wrong(
            "find-by-id-and-filter2-list",
            "$or as an object: its last branch",
            lists(v -> v.subList(v.size() - 1, v.size()))),
        wrong(
            "find-by-id-and-filter4-list",
            "$or as an object: its first branch",
            lists(v -> v.subList(0, 1))),
        wrong(
            "find-by-id-and-filter4-and-filter5-list",
            "$or left empty",
            lists(v -> List.of("nothing"))),
        wrong(
            "find-by-id-and-filter3-lte",
            "< for <=",
            (store, method, arguments) ->
                method.equals("findByIdAndFilter3Lte")
                    ? store.findByIdAndFilter3Lte(
                        (UUID) arguments[0], (long) arguments[1] - 1, Phases.NONE)
                    : null),
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
            rows(r -> each(r, d -> copy(d, d.filter3(), null, d.edition())))),
        wrong(
            "update",
            "the edition is lost",
            (store, method, arguments) ->
                method.equals("update")
                    ? store.update(
                        (UUID) arguments[0],
                        (String) arguments[1],
                        without((Change) arguments[2]),
                        Phases.NONE)
                    : null),
        wrong(
            "delete",
            "nothing is deleted, and said to be",
            (store, method, arguments) -> method.equals("delete") ? (Object) 1L : null),
        wrong(
            "insert",
            "a key that is there is no error",
            (store, method, arguments) -> {
              if (!method.equals("insert")) {
                return null;
              }
              try {
                store.insert((Document) arguments[0], Phases.NONE);
              } catch (CallFailure e) {
                assertThat(e.kind()).isEqualTo(CallFailure.DUPLICATE_KEY);
              }
              return DONE;
            }));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("mistakes")
  void aMistakeIsCaught(String transaction, String what, Mistake mistake) throws CallFailure {
    Parity.Result result = compare(broken(otherScratch.store(), transaction, mistake));
    assertThat(result.equal()).as(what).isFalse();
    assertThat(line(result, transaction).difference()).isNotNull();
    assertThat(result.transactions().stream().filter(l -> l.difference() != null))
        .extracting(Line::name)
        .containsExactly(transaction);
  }

  @Test
  void anUpdateOfAllRowsOfATenantIsCaughtByItsCount() throws CallFailure {
    var difference = line(compare(updatingTenants(false)), "update").difference();
    assertThat(difference.where()).isEqualTo("call 1");
    assertThat(difference.expected()).isEqualTo("1 row changed");
    assertThat(difference.sides()).containsEntry("one", "1 row changed");
    assertThat(difference.sides().get("other"))
        .matches("(9|10)\\d rows changed|1\\d\\d rows changed");
  }

  @Test
  void anUpdateOfAllRowsOfATenantIsCaughtByTheStateWhenItsCountLies() throws CallFailure {
    var difference = line(compare(updatingTenants(true)), "update").difference();
    assertThat(difference.where()).isEqualTo("state after 16 calls");
    assertThat(difference.sides()).containsEntry("one", "567 rows"); // 400 + 154 + 12 + 1
    assertThat(difference.sides().get("other")).startsWith("567 rows, ").contains(" of row ");
  }

  @Test
  void aRowThatWasAlteredBesideTheCallsIsCaught() throws CallFailure {
    DocumentStore altering =
        broken(
            otherScratch.store(),
            "delete",
            (store, method, arguments) -> {
              right.execute(
                  "UPDATE shardload_scratch.data_table SET filter3 = 424242"
                      + " WHERE filter1 = 'crowd-007'");
              return method.equals("delete")
                  ? (Object) store.delete((UUID) arguments[0], (String) arguments[1], Phases.NONE)
                  : null;
            });
    var difference = line(compare(altering), "delete").difference();
    assertThat(difference.where()).isEqualTo("state after 15 calls");
    assertThat(difference.expected()).isEqualTo("554 rows");
    assertThat(difference.sides())
        .containsEntry("one", "554 rows")
        .containsEntry("other", "554 rows, filter3 of row crowd-007 is 424242, not 7");
  }

  private Parity.Result compare(DocumentStore store) throws CallFailure {
    List<Side> sides =
        List.of(
            new Side("one", scratch.admin(), scratch.store()),
            new Side("other", otherScratch.admin(), store));
    return new Parity(model, sides, 5, CALLS, (what, done, total) -> {}).run();
  }

  private static Line line(Parity.Result result, String name) {
    return result.transactions().stream().filter(l -> l.name().equals(name)).findFirst().get();
  }

  /** Updates every row of the tenant, one by one. */
  private DocumentStore updatingTenants(boolean lying) {
    DocumentStore store = otherScratch.store();
    return broken(
        store,
        "update",
        (right, method, arguments) -> {
          if (!method.equals("update")) {
            return null;
          }
          UUID id = (UUID) arguments[0];
          long changed =
              right.update(id, (String) arguments[1], (Change) arguments[2], Phases.NONE);
          if (changed == 1) {
            List<Document> all = new ArrayList<>();
            otherScratch.admin().walk(row -> all.add(row));
            for (Document row : all) {
              if (row.id().equals(id) && !row.filter1().equals(arguments[1])) {
                changed += right.update(id, row.filter1(), (Change) arguments[2], Phases.NONE);
              }
            }
          }
          return lying ? Math.min(1, changed) : changed;
        });
  }

  // --- stores that are wrong in one way

  private static final Object DONE = new Object();

  /** Answers in place of a method, or null to leave it to the store. */
  @FunctionalInterface
  interface Mistake {
    Object make(DocumentStore store, String method, Object[] arguments) throws CallFailure;
  }

  private static Arguments wrong(String transaction, String what, Mistake mistake) {
    return Arguments.of(transaction, what, mistake);
  }

  private static DocumentStore broken(DocumentStore store, String transaction, Mistake mistake) {
    String asMethod = transaction.replace("-", "");
    return (DocumentStore)
        Proxy.newProxyInstance(
            ParityTest.class.getClassLoader(),
            new Class<?>[] {DocumentStore.class},
            (proxy, method, arguments) -> {
              Object answer =
                  method.getName().equalsIgnoreCase(asMethod)
                      ? mistake.make(store, method.getName(), arguments)
                      : null;
              if (answer != null) {
                return answer == DONE ? null : answer;
              }
              try {
                return method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  /** Bends what a find returns. */
  private static Mistake rows(UnaryOperator<List<Document>> bend) {
    return (store, method, arguments) -> bend.apply(found(store, method, arguments));
  }

  /** Bends the list that a find asks for. */
  @SuppressWarnings("unchecked")
  private static Mistake lists(UnaryOperator<List<String>> bend) {
    return (store, method, arguments) -> {
      Object[] bent = arguments.clone();
      int list = bent.length - 2;
      bent[list] = bend.apply((List<String>) bent[list]);
      return found(store, method, bent);
    };
  }

  @SuppressWarnings("unchecked")
  private static List<Document> found(DocumentStore store, String method, Object[] arguments) {
    try {
      for (var candidate : DocumentStore.class.getMethods()) {
        if (candidate.getName().equals(method)) {
          return (List<Document>) candidate.invoke(store, arguments);
        }
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
    throw new IllegalArgumentException(method);
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
