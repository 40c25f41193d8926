package io.shardload.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.dataset.DataState.Kind;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.driver.TestMongo;
import io.shardload.verify.GoldenData;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a run would find: leaves no trace, and decides as the run itself would.
 *
 * <p>Mutations that turned it red: a data set opened in place of its header read; a dirty one taken
 * for complete.
 */
class DataStateTest {
  private static final String WORKLOAD = "document-store";
  private static final String LARGE = "{'documents': 12000, 'tenants': 2, 'document-size': '40B'}";

  private final Database database = TestDatabases.fresh();
  private Target target;

  @BeforeEach
  void open() {
    target = database.open("{}");
  }

  @AfterEach
  void close() {
    target.close();
  }

  private DataState look(Model<?> model) throws CallFailure {
    return DataState.look(target, WORKLOAD, model);
  }

  private List<String> tables() {
    return database.ask(
        "SELECT tablename FROM pg_tables WHERE schemaname NOT LIKE 'pg_%' AND schemaname <>"
            + " 'information_schema' ORDER BY 1");
  }

  @Test
  void ofAnEmptyDatabaseNothingIsMade() throws CallFailure {
    assertThat(look(GoldenData.model())).isEqualTo(new DataState(Kind.NONE, 0, 4, ""));
    assertThat(tables()).isEmpty();
  }

  @Test
  void fromALoadThatWasInterruptedToARunThatWasNotSettled() throws CallFailure {
    Model<?> model = GoldenData.model(1, LARGE);
    DataSet dataSet = DataSet.open(target, WORKLOAD, model, false);
    assertThatThrownBy(
            () ->
                dataSet.load(
                    done -> {
                      throw new IllegalStateException("interrupted");
                    }))
        .hasMessage("interrupted");
    assertThat(look(model)).isEqualTo(new DataState(Kind.PARTIAL, 0, 12_000, ""));

    DataSet again = DataSet.open(target, WORKLOAD, model, false);
    again.load(done -> {});
    List<String> header = database.ask("SELECT t::text FROM shardload_header t");
    assertThat(look(model)).isEqualTo(new DataState(Kind.COMPLETE, 12_000, 12_000, ""));
    assertThat(database.ask("SELECT t::text FROM shardload_header t")).isEqualTo(header);

    again.begin("run-1");
    DataState dirty = look(model);
    assertThat(dirty.kind()).isEqualTo(Kind.REFUSED);
    assertThat(dirty.detail()).startsWith("the data set is dirty: run run-1 is writing to it");
    assertThat(dirty.toJson().toString())
        .startsWith("{\"state\":\"refused\",\"loaded\":12000,\"documents\":12000,\"detail\":");
  }

  @Test
  void ofOtherDataItSaysWhatDiffers() throws CallFailure {
    DataSet.open(target, WORKLOAD, GoldenData.model(), false).load(done -> {});
    DataState state = look(GoldenData.model(1, LARGE));
    assertThat(state.kind()).isEqualTo(Kind.REFUSED);
    assertThat(state.detail()).startsWith("the data set on the target was created with ");
    assertThat(state.loaded()).isEqualTo(4);
  }

  @Test
  void ofATableWithAnotherSchemaItSaysWhatDiffers() throws CallFailure {
    DataSet.open(target, WORKLOAD, GoldenData.model(), false).load(done -> {});
    database.execute("ALTER TABLE data_table ALTER COLUMN document SET STORAGE EXTERNAL");
    DataState state = look(GoldenData.model());
    assertThat(state.kind()).isEqualTo(Kind.REFUSED);
    assertThat(state.detail())
        .startsWith("table data_table exists with document-storage: toast-uncompressed, not ");
  }

  /** Another shard key is in the schema's own tests, which replay a sharded cluster. */
  @Test
  void ofACollectionWithAnotherSchemaItSaysWhatDiffers() throws CallFailure {
    TestMongo.Database ferretdb = TestMongo.ferretdb();
    try (Target other =
        ferretdb.open(
            ferretdb.config("{}", "{'index': 'ascending'}"),
            new Session("test", 2, Duration.ofSeconds(5)))) {
      DataSet.open(other, WORKLOAD, GoldenData.model(), false).load(done -> {});
      assertThat(DataState.look(other, WORKLOAD, GoldenData.model()).kind())
          .isEqualTo(Kind.COMPLETE);
      ferretdb.bson().getCollection("data_table").dropIndex("data_table_filter4");
      DataState state = DataState.look(other, WORKLOAD, GoldenData.model());
      assertThat(state.kind()).isEqualTo(Kind.REFUSED);
      assertThat(state.detail())
          .endsWith("has documents, but no index data_table_filter4; use another database");
    }
  }

  @Test
  void aTableOfSomebodyElseIsTold() throws CallFailure {
    database.execute("CREATE TABLE data_table (a int)");
    DataState state = look(GoldenData.model());
    assertThat(state.kind()).isEqualTo(Kind.REFUSED);
    assertThat(state.detail()).isNotEmpty();
  }
}
