package io.shardload.parity;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.DocumentStoreWorkload;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is equal, and what the state after the writes tells, on two real PostgreSQL databases. */
class ParityTest {
  @AutoClose private TwoDatabases databases;

  @BeforeEach
  void open() throws CallFailure {
    databases = new TwoDatabases();
  }

  @Test
  void allAreEqualAndTheStateIsWhatTheWritesMakeOfIt() throws CallFailure {
    Parity.Result result = databases.compare(databases.other().store());
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
            databases.other().store(),
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
    DocumentStore store = databases.other().store();
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
            databases.other().admin().walk(row -> all.add(row));
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
}
