package io.shardload.dataset;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.shardload.bundle.BundleFixture;
import io.shardload.config.Advice;
import io.shardload.config.ConfigException;
import io.shardload.dataset.DataState.Kind;
import io.shardload.driver.Header;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.driver.TestMongo;
import io.shardload.generator.RunConfig;
import io.shardload.keys.Ownership;
import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.verify.GoldenData;
import io.shardload.verify.Verification;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The data set outlives runs and refuses what is not its own.
 *
 * <p>Mutations that turned it red: the header replaced without a condition; a batch copied again
 * without ON CONFLICT DO NOTHING; the count before the first header left out; the shape not
 * compared.
 */
class DataSetTest {
  private static final String LARGE = "{'documents': 12000, 'tenants': 2, 'document-size': '40B'}";

  private final Database database = TestDatabases.fresh();
  @AutoClose private final Target target = database.open("{}");

  private static final String WORKLOAD = "document-store";

  private DataSet dataSet(Model<?> model) throws CallFailure {
    return DataSet.open(target, "document-store", model, false);
  }

  /** Mutation: the header is compared first. */
  @Test
  void anOptionOfAnotherSystemIsRefusedAsSuch() throws CallFailure {
    dataSet(GoldenData.model()).load(done -> {});
    String json =
        "{'run':{'id':'r'},'target':{'name':'t','driver':'postgresql','url':'postgresql://h/d',"
            + "'user':'u'},'schema':{'distribution':'id'},'workload':{'name':'document-store'},"
            + "'mix':{'insert':100},'load':{'model':'closed','workers':1,"
            + "'segments':[{'name':'hold','kind':'hold','seconds':1}]}}";
    Model<?> spread = RunConfig.read(BundleFixture.parse(json)).model();
    assertThat(refusalOf(() -> dataSet(spread)))
        .hasMessage("postgresql does not take \"id\", citus does; known are none");
  }

  @Test
  void theLoadWritesTheGoldenDocuments() throws CallFailure {
    DataSet dataSet = dataSet(GoldenData.model());
    assertThat(dataSet.created()).isTrue();
    assertThat(dataSet.loaded()).isFalse();

    assertThat(dataSet.load(done -> {})).isEqualTo(4);

    assertThat(
            database.ask(
                "SELECT format('(%L, %L, %L, %s, %L, %L, %L, %s)', id, filter1, filter2, filter3,"
                    + " filter4, filter5, document, edition) FROM data_table"))
        .containsExactlyInAnyOrder(
            GoldenData.DOCUMENT_0,
            GoldenData.DOCUMENT_1,
            GoldenData.DOCUMENT_2,
            GoldenData.DOCUMENT_3);
    DataSet again = dataSet(GoldenData.model());
    assertThat(again.created()).isFalse();
    assertThat(again.loaded()).isTrue();
    assertThat(again.load(done -> {})).isZero();
    assertThat(again.live()).isEqualTo(4);
  }

  @Test
  void anInterruptedLoadIsTakenUpAgain(@TempDir Path temporary) throws Exception {
    Model<?> model = GoldenData.model(1, LARGE);
    assertThatThrownBy(
            () ->
                dataSet(model)
                    .load(
                        done -> {
                          throw new IllegalStateException("interrupted after " + done);
                        }))
        .as("of one or two threads")
        .hasMessageMatching("interrupted after (5000|10000)");
    assertThat(database.ask("SELECT count(*) FROM data_table"))
        .as("of one or two threads")
        .containsAnyOf("5000", "10000");

    DataSet again = dataSet(GoldenData.model(1, LARGE));
    again.load(done -> {});

    assertThat(database.ask("SELECT count(*), count(DISTINCT filter1) FROM data_table"))
        .containsExactly("12000 12000");
    again.begin("run-1");
    Path bundle = temporary.resolve("run-1");
    GoldenData.writeBundle(bundle, true, 12_000, journal -> {});
    Verification result = GoldenData.verify(target, model, bundle);
    assertThat(result.verdict()).isEqualTo("clean");
    assertThat(result.walked()).isEqualTo(12_000);
  }

  @Test
  void documentsWithoutAHeaderAreForeign() throws CallFailure {
    dataSet(GoldenData.model());
    database.execute("DROP TABLE shardload_header");
    database.execute(GoldenData.INSERT + GoldenData.DOCUMENT_0);

    assertThat(refusalOf(() -> dataSet(GoldenData.model())))
        .hasMessageContaining(
            "table public.data_table holds documents, but the database has no shardload header")
        .satisfies(
            e -> assertThat(e.advice().toString()).contains("load --recreate --replace-foreign"));
  }

  @Test
  void anotherSeedOrShapeIsRefusedByName() throws CallFailure {
    dataSet(GoldenData.model());

    assertThatThrownBy(
            () ->
                dataSet(
                    GoldenData.model(2, "{'documents': 4, 'tenants': 2, 'document-size': '40B'}")))
        .hasMessageContaining("created with seed 1, not 2");
    assertThatThrownBy(
            () ->
                dataSet(
                    GoldenData.model(1, "{'documents': 4, 'tenants': 1, 'document-size': '40B'}")))
        .hasMessage(
            "the data set on the target was created with option tenants 2, not 1; -o"
                + " workload.data.tenants=2 keeps it, or use another database")
        .satisfies(e -> assertThat(((ConfigException) e).key()).isEqualTo("workload.data.tenants"))
        .satisfies(
            e ->
                assertThat(((ConfigException) e).advice().toString())
                    .isEqualTo("[to drop its 4 documents and load 4: load --recreate]"));
  }

  @Test
  void everyDifferenceIsNamedWithTheOptionsThatKeepTheDataSet() throws CallFailure {
    dataSet(GoldenData.model());

    assertThat(refusalOf(() -> dataSet(GoldenData.model(1, "{'documents': 6}"))))
        .hasMessage(
            "the data set on the target was created with documents 4, not 6, with option"
                + " document_size 40, not 2048, with option tenants 2, not 6; -o"
                + " workload.data.documents=4 -o workload.data.document-size=40B -o"
                + " workload.data.tenants=2 keeps it, or use another database");
  }

  /** A header that another version wrote may lack a key, or have one that is no more. */
  @Test
  void aHeaderOfAnotherVersionIsRefused() throws CallFailure {
    dataSet(GoldenData.model());
    database.execute(
        "UPDATE shardload_header SET"
            + " shape = replace(shape, '\"option tenants\":\"2\"', '\"option rooms\":\"3\"')");

    assertThat(refusalOf(() -> dataSet(GoldenData.model())))
        .hasMessage(
            "the data set on the target was created with option rooms 3, which this"
                + " version does not have, without option tenants; use another database");
  }

  /** Turned red: 9e17 ended a verification with NegativeArraySizeException, -5 was believed. */
  @ParameterizedTest
  @CsvSource({
    "high_water = 900000000000000000, 'loaded 4 of 4 documents, high_water 900000000000000000,'",
    "high_water = -5, 'loaded 4 of 4 documents, high_water -5,'",
    "loaded = 5, 'loaded 5 of 4 documents, high_water 4,'"
  })
  void aDamagedRecordIsRefused(String change, String message) throws CallFailure {
    dataSet(GoldenData.model());
    database.execute("UPDATE shardload_header SET loaded = 4, high_water = 4");
    database.execute("UPDATE shardload_header SET " + change);
    assertThatThrownBy(() -> dataSet(GoldenData.model()))
        .hasMessageStartingWith("the record of the data set is damaged: " + message);
  }

  @Test
  void aDirtyOneIsRefusedNamingTheRunAndBothChoices() throws CallFailure {
    DataSet dataSet = dataSet(GoldenData.model());
    assertThatThrownBy(() -> dataSet.begin("run-0")).hasMessageContaining("not loaded");
    dataSet.load(done -> {});
    DataSet other = dataSet(GoldenData.model());
    dataSet.begin("run-1");

    for (ThrowableAssert.ThrowingCallable late :
        List.<ThrowableAssert.ThrowingCallable>of(
            () -> dataSet(GoldenData.model()), () -> other.begin("run-2"))) {
      ConfigException refusal = refusalOf(late);
      assertThat(refusal).hasMessageContaining("run run-1 is writing to it");
      assertThat(refusal.advice())
          .extracting(Advice::verb, Advice::flags)
          .containsExactly(
              tuple("verify", List.of()),
              tuple("load", List.of("--recreate", "--discard-unsettled", "run-1")));
    }
  }

  @Test
  void theHeaderIsReplacedOnlyWhereItIsAsExpected() throws CallFailure {
    var store = target.dataSets();
    assertThat(store.header()).isEmpty();
    Header first =
        new Header(
            "document-store", Map.of("seed", "1", "a", "b"), 4, 0, 0, 0, "", "set", List.of());
    store.create(first);

    assertThat(store.header()).contains(first);
    assertThatThrownBy(() -> store.create(first))
        .isInstanceOf(CallFailure.class)
        .satisfies(e -> assertThat(((CallFailure) e).kind()).isEqualTo("duplicate-key"));
    assertThat(store.replace(first, first.withLoaded(4))).isTrue();
    assertThat(store.replace(first, first.dirtiedBy("late"))).isFalse();
    store.raiseHighWater(100);
    store.raiseHighWater(50);
    assertThat(store.header().orElseThrow().highWater()).isEqualTo(100);
  }

  /** Two chunks of 70 000 ordinals, of which 65 000 surely have a document: not 8, which may. */
  @Test
  void documentsAreCountedWithoutAskingTheServer() throws CallFailure {
    var store = target.dataSets();
    States states = new States();
    states.grow(70_000);
    for (long ordinal = 0; ordinal < 70_000; ordinal++) {
      states.set(ordinal, ordinal < 65_001 ? State.live(3) : State.of(State.DELETED, 1));
    }
    states.set(7, State.of(State.UNKNOWN_UPDATE, 1));
    states.set(8, State.of(State.UNKNOWN_INSERT, 0));
    states.set(65_002, State.of(State.ABSENT, 0));
    dataSet(GoldenData.model());
    Header before = store.header().orElseThrow();
    Header header =
        new Header("document-store", before.shape(), 4, 4, 80_000, 3, "", "set", before.objects());
    StateChunks.write(store, 3, states, 70_000);
    assertThat(store.replace(before, header)).isTrue();

    assertThat(dataSet(GoldenData.model()).live()).isEqualTo(65_000);
  }

  @Test
  void statesComeBackByOwner() throws CallFailure {
    var store = target.dataSets();
    long highWater = 200_000;
    States states = new States();
    states.grow(highWater);
    for (long ordinal = 0; ordinal < highWater; ordinal++) {
      states.set(ordinal, State.live((int) (ordinal % 4000)));
    }
    Header header = new Header("document-store", Map.of(), 4, 4, 300_000, 3, "", "set", List.of());
    store.create(header);
    StateChunks.write(store, 3, states, highWater);

    // A run has raised the header's own mark since.
    assertThat(StateChunks.highWater(store, header)).isEqualTo(highWater);
    Ownership second = new Ownership(1, 2, highWater);
    States owned = StateChunks.owned(store, header, second);
    for (long position : new long[] {0, 1023, 1024, second.ownedLoaded() - 1}) {
      long ordinal = second.ordinalAt(position);
      assertThat(owned.get(position)).isEqualTo(State.live((int) (ordinal % 4000)));
    }
    store.keepOnly(4);
    assertThat(refusalOf(() -> StateChunks.read(store, header)))
        .hasMessageContaining("chunk -1 of generation 3 is missing");
  }

  private DataState look(Model<?> model) throws CallFailure {
    return DataState.look(target, WORKLOAD, model);
  }

  private List<String> tables() {
    return database.ask(
        "SELECT tablename FROM pg_tables WHERE schemaname NOT LIKE 'pg_%' AND schemaname <>"
            + " 'information_schema' ORDER BY 1");
  }

  // What a run would find: leaves no trace, and decides as the run itself would. Mutations that
  // turned it red: a data set opened in place of its header read; a dirty one taken for complete.

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

    DataSet again = DataSet.open(target, WORKLOAD, GoldenData.model(1, LARGE), false);
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
    database.execute("ALTER TABLE data_table DROP COLUMN filter5");
    DataState state = look(GoldenData.model());
    assertThat(state.kind()).isEqualTo(Kind.REFUSED);
    assertThat(state.detail()).contains("table data_table: unknown column \"filter5\"");
  }

  /** Another shard key is in the schema's own tests, which replay a sharded cluster. */
  @Test
  void ofACollectionWithAnotherSchemaItSaysWhatDiffers() throws CallFailure {
    TestMongo.Database ferretdb = TestMongo.ferretdb();
    try (Target other =
        ferretdb.open(
            ferretdb.config("{}", "{'index': 'ascending'}"),
            new Session("test", 2, Duration.ofSeconds(5)))) {
      DataSet.open(other, WORKLOAD, GoldenData.model(other), false).load(done -> {});
      assertThat(DataState.look(other, WORKLOAD, GoldenData.model(other)).kind())
          .isEqualTo(Kind.COMPLETE);
      ferretdb.bson().getCollection("data_table").dropIndex("data_table_filter4");
      DataState state = DataState.look(other, WORKLOAD, GoldenData.model(other));
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
