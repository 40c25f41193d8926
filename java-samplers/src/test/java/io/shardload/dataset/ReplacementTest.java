package io.shardload.dataset;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.Advice;
import io.shardload.config.ConfigException;
import io.shardload.driver.Header;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestMongo;
import io.shardload.driver.mongodb.schema.TestSchema;
import io.shardload.verify.GoldenData;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.port.StatementStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.Document;
import org.junit.jupiter.api.Test;

/**
 * What is not ours, not settled or in use is dropped only by who has agreed to it, and what a run
 * is using is never dropped.
 *
 * <p>Mutation that turned it red: the drop without the check.
 */
class ReplacementTest {
  private static final Replacement FOREIGN = new Replacement(true, Set.of(), true);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final TestDatabases.Database database = TestDatabases.fresh();

  private static DataSet replace(Target target, Replacement replacement) throws CallFailure {
    return DataSet.open(
        target, "document-store", GoldenData.model(target), replacement, Progress.UNHEARD);
  }

  private static ConfigException refusal(Target target, Replacement replacement) {
    return refusalOf(() -> replace(target, replacement));
  }

  private static Replacement discarding(String run) {
    return new Replacement(true, Set.of(run), false);
  }

  @Test
  void nothingAndASettledDataSetOfOursAreReplaced() throws CallFailure {
    try (Target target = database.open("{}")) {
      replace(target, Replacement.SETTLED).load(done -> {});
      assertThat(database.ask("SELECT count(*) FROM data_table")).containsExactly("4");
      replace(target, Replacement.SETTLED);
      assertThat(database.ask("SELECT count(*) FROM data_table")).containsExactly("0");
    }
  }

  @Test
  void anApplicationsTableIsDroppedByAgreementOnly() throws CallFailure {
    database.execute("CREATE TABLE data_table (id int, name text)");
    database.execute("INSERT INTO data_table VALUES (1, 'precious')");
    try (Target target = database.open("{}")) {
      for (Replacement replacement : new Replacement[] {Replacement.SETTLED, discarding("run-1")}) {
        ConfigException refusal = refusal(target, replacement);
        assertThat(refusal)
            .hasMessage(
                "table public.data_table is not recorded as shardload's: restored or foreign; use"
                    + " another database");
        assertThat(refusal.advice().toString()).contains("load --recreate --replace-foreign");
      }
      assertThat(database.ask("SELECT name FROM data_table")).containsExactly("precious");

      assertThat(replace(target, FOREIGN).created()).isTrue();
      assertThat(database.ask("SELECT count(*) FROM data_table")).containsExactly("0");
    }
  }

  @Test
  void anApplicationsTableBesideAHeaderOfOursIsForeignToo() throws CallFailure {
    try (Target target = database.open("{}")) {
      replace(target, Replacement.NONE);
      database.execute("DROP TABLE data_table");
      database.execute("CREATE TABLE data_table (id int)");

      assertThat(refusal(target, Replacement.SETTLED))
          .hasMessageContaining("table public.data_table is not recorded as shardload's");
    }
  }

  @Test
  void documentsOfOurShapeWithoutAHeaderAreForeign() throws CallFailure {
    try (Target target = database.open("{}")) {
      replace(target, Replacement.NONE);
      database.execute("DROP TABLE shardload_header");
      assertThat(refusal(target, Replacement.SETTLED))
          .as("nothing shows who made the empty table")
          .hasMessageContaining("table public.data_table is not recorded as shardload's");
      database.execute(GoldenData.INSERT + GoldenData.DOCUMENT_0);

      assertThat(refusal(target, Replacement.SETTLED))
          .hasMessageContaining("table public.data_table is not recorded as shardload's");
      assertThat(database.ask("SELECT count(*) FROM data_table")).containsExactly("1");
      assertThat(replace(target, FOREIGN).created()).isTrue();
    }
  }

  @Test
  void anUnsettledRunIsGivenUpByItsName() throws CallFailure {
    try (Target target = database.open("{}")) {
      DataSet dataSet = replace(target, Replacement.NONE);
      dataSet.load(done -> {});
      dataSet.begin("run-1");

      for (Replacement replacement : new Replacement[] {Replacement.SETTLED, discarding("run-2")}) {
        ConfigException refusal = refusal(target, replacement);
        assertThat(refusal)
            .hasMessage("run run-1 wrote to the data set, and no verification has settled it");
        assertThat(refusal.advice().get(0).verb()).isEqualTo("verify");
        assertThat(refusal.advice().get(1).flags())
            .containsExactly("--recreate", "--discard-unsettled", "run-1");
      }
      assertThat(database.ask("SELECT count(*) FROM data_table")).containsExactly("4");
      assertThat(replace(target, discarding("run-1")).header().clean()).isTrue();
    }
  }

  @Test
  void eachRefusalNamesAllThatTheCommandNeeds() throws CallFailure {
    try (Target target = database.open("{}")) {
      DataSet dataSet = replace(target, Replacement.NONE);
      dataSet.load(done -> {});
      dataSet.begin("run-1");
      assertThat(refusal(target, FOREIGN).advice().get(1).flags())
          .containsExactly("--recreate", "--discard-unsettled", "run-1", "--replace-foreign");
      database.execute("DROP TABLE data_table");
      database.execute("CREATE TABLE data_table (id int)");
      ConfigException refusal = refusal(target, Replacement.SETTLED);
      assertThat(refusal)
          .hasMessage(
              "run run-1 wrote to the data set, and no verification has settled it; table"
                  + " public.data_table is not recorded as shardload's: restored or foreign");
      assertThat(refusal.advice().get(1).flags())
          .containsExactly("--recreate", "--discard-unsettled", "run-1", "--replace-foreign");
      refusal = refusal(target, discarding("run-1"));
      assertThat(refusal.advice())
          .containsExactly(
              new Advice(
                  "to drop it although it is not recorded as shardload's",
                  "load",
                  List.of("--recreate", "--replace-foreign", "--discard-unsettled", "run-1")));
    }
  }

  @Test
  void whatARunIsConnectedToIsNeverDropped() throws CallFailure {
    Replacement everything = new Replacement(true, Set.of("run-1"), true);
    Session generator = new Session("run-1", 1, TIMEOUT);
    for (Session session : new Session[] {generator, generator.asController()}) {
      try (Target target = database.open("{}", Session.controller("me", 1, TIMEOUT));
          Target other = database.open("{}", session)) {
        replace(target, discarding("run-1")).load(done -> {});
        // As in its load: connected, and nothing is dirty yet.
        other.dataSets().header();
        other.port(StatementStore.class);
        for (boolean dirty : new boolean[] {false, true}) {
          Header header = target.dataSets().header().orElseThrow();
          target.dataSets().replace(header, header.dirtiedBy(dirty ? "run-1" : ""));
          ConfigException refusal =
              refusalOf(
                  () -> everything.check(target, GoldenData.model(), new TestSchema.Sleeps()));
          assertThat(refusal)
              .hasMessageContaining("run run-1 is connected to the database right now");
          assertThat(refusal.advice()).isEmpty();
        }
      }
    }
  }

  @Test
  void aCollectionThatIsNotOursStays() throws CallFailure {
    TestMongo.Database mongo = TestMongo.fake();
    var collection = mongo.bson().getCollection("data_table");
    collection.insertOne(new Document("name", "precious"));
    try (Target target = mongo.open("{}")) {
      ConfigException refusal = refusal(target, Replacement.SETTLED);
      assertThat(refusal)
          .hasMessageContaining(".data_table is not recorded as shardload's: restored or foreign");
      assertThat(refusal.advice().toString()).contains("load --recreate --replace-foreign");
      assertThat(collection.countDocuments()).isEqualTo(1);
      assertThat(replace(target, FOREIGN).created()).isTrue();
      assertThat(collection.countDocuments()).isZero();
    }
  }

  /** The fake cannot report who is connected: what counts is the header. */
  @Test
  void anUnsettledCollectionIsGivenUpByTheNameOfItsRun() throws CallFailure {
    TestMongo.Database mongo = TestMongo.fake();
    try (Target target = mongo.open("{}")) {
      DataSet dataSet = replace(target, Replacement.SETTLED);
      dataSet.load(done -> {});
      dataSet.begin("run-1");

      assertThat(refusal(target, FOREIGN))
          .hasMessage("run run-1 wrote to the data set, and no verification has settled it");
      assertThat(mongo.bson().getCollection("data_table").countDocuments()).isEqualTo(4);
      assertThat(replace(target, discarding("run-1")).header().clean()).isTrue();
    }
  }

  /** As mongorestore --drop does it: another collection, with the same name and indexes. */
  @Test
  void aCollectionThatTookThePlaceOfShardloadsOwnIsKept() throws CallFailure {
    TestMongo.Database mongo = TestMongo.ferretdb();
    Session session = Session.controller("me", 1, TIMEOUT);
    try (Target target = mongo.open(mongo.config("{}", "{'index': 'ascending'}"), session)) {
      DataSet before = replace(target, Replacement.NONE);
      before.load(done -> {});
      var collection = mongo.bson().getCollection("data_table");
      List<Document> indexes = collection.listIndexes().into(new ArrayList<>());
      indexes.forEach(index -> index.remove("v"));
      collection.drop();
      mongo.bson().createCollection("data_table");
      mongo
          .bson()
          .runCommand(
              new Document("createIndexes", "data_table")
                  .append("indexes", indexes.subList(1, indexes.size())));
      collection.insertOne(new Document("name", "precious"));

      for (Replacement replacement : new Replacement[] {Replacement.SETTLED, Replacement.NONE}) {
        assertThat(refusal(target, replacement))
            .hasMessageEndingWith(
                ".data_table is not recorded as shardload's: restored or foreign; use another"
                    + " database");
      }
      assertThatThrownBy(() -> before.begin("run-1")).hasMessageContaining("restored or foreign");
      assertThat(collection.countDocuments()).isEqualTo(1);
      replace(target, FOREIGN);
      assertThat(replace(target, Replacement.SETTLED).created()).isTrue();
    }
  }

  /** Where a collection has no uuid, another one with other indexes is noticed all the same. */
  @Test
  void withoutUuidsOptionsAndIndexesAreCompared() throws CallFailure {
    TestMongo.Database mongo = TestMongo.fake();
    try (Target target = mongo.open("{}")) {
      replace(target, Replacement.NONE).load(done -> {});
      replace(target, Replacement.SETTLED).load(done -> {});
      var collection = mongo.bson().getCollection("data_table");
      collection.drop();
      collection.insertOne(new Document("name", "precious"));

      assertThat(refusal(target, Replacement.SETTLED))
          .hasMessageContaining("restored or foreign (this server gives collections no uuid");
      assertThat(collection.countDocuments()).isEqualTo(1);
    }
  }
}
