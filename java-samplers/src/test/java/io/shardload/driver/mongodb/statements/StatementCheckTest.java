package io.shardload.driver.mongodb.statements;

import static io.shardload.driver.Caught.refusalOf;
import static io.shardload.driver.mongodb.statements.Commands.capture;
import static io.shardload.driver.mongodb.statements.Commands.collection;
import static io.shardload.driver.mongodb.statements.Commands.plan;
import static io.shardload.driver.mongodb.statements.Commands.wants;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoDatabase;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.schema.SchemaOptions;
import io.shardload.driver.mongodb.schema.TestSchema;
import io.shardload.driver.mongodb.statements.MongodbStatementAdminTest.Rows;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.Step;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is wrong with statements, on a real FerretDB 1.24. */
class StatementCheckTest {
  private static final Map<String, ValueType> TYPES =
      Map.of("id", ValueType.INTEGER, "text", ValueType.TEXT, "any", ValueType.JSON);

  private final TestMongo.Database database = TestMongo.ferretdb();
  private Target target;
  private StatementAdmin admin;

  @BeforeEach
  void open() {
    target = database.open("{}");
    admin = target.port(StatementAdmin.class);
  }

  @AfterEach
  void close() {
    assertThat(databases()).as("the scratch database is gone").doesNotContain(scratch());
    target.close();
  }

  private String scratch() {
    return database.name() + "_shardload_check";
  }

  private List<String> databases() {
    return database.client().listDatabaseNames().into(new ArrayList<>());
  }

  private static final List<Statement> SCHEMA =
      List.of(collection("shop", ", 'indexes': [{'name': 'id_1', 'key': {'id': 1}}]"));
  private static final List<TableRows> TABLES = List.of(Rows.of("shop"));

  private List<String> check(Plan... plans) throws CallFailure {
    return admin.check(SCHEMA, TABLES, List.of(plans), TYPES, List.of()).stream()
        .map(Problem::text)
        .toList();
  }

  private static Plan one(String command) {
    return plan(Isolation.NONE, List.of("id", "text", "any"), command);
  }

  @Test
  void statementsThatAreRight() throws CallFailure {
    assertThat(
            check(
                one("{'find': 'shop', 'filter': {'id': {'$param': 'id'}}, 'limit': 3}"),
                one("{'find': 'shop', 'limit': {'$param': 'id'}}"),
                one("{'insert': 'shop', 'documents': [{'_id': 1}, {'_id': 1}]}"),
                one("{'insert': 'shop', 'documents': [{'$param': 'any'}]}"),
                one("{'count': 'shop'}"),
                one("{'distinct': 'shop', 'key': 'city'}"),
                one("{'delete': 'shop', 'deletes': [{'q': {}, 'limit': 0}]}"),
                one(
                    "{'update': 'shop', 'updates': [{'q': {'id': 1}, 'u': {'$inc': {'n':"
                        + " {'$param': 'id'}}}}]}"),
                plan(
                    Isolation.NONE,
                    List.of("id"),
                    List.of(capture("city"), Step.ANY),
                    "{'find': 'shop'}",
                    "{'find': 'shop', 'filter': {'$param': 'city'}}")))
        .isEmpty();
    assertThat(database.bson().listCollectionNames()).doesNotContain("shop");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'find': 'shopp'} | unknown collection \"shopp\"; did you mean \"shop\"?",
        "{'find': 'shop', 'collation': {'local': 'de'}} | unknown field \"local\"; did you mean"
            + " \"locale\"?",
        "{'findAndModify': 'shop', 'remove': true, 'new': true} | \"new\" cannot be used here",
        "{'find': 'shop', 'limit': 'a'} | expected a whole number instead of",
        "{'find': 'shop', 'limit': {'$param': 'text'}} | expected a whole number instead of",
        "{'find': 'shop', 'filter': {'$param': 'id'}} | expected a document instead of",
        "{'find': 'shop', 'filter': {'a': {'$param': 'idd'}}} | unknown parameter \"idd\"",
        "{'find': 'shop', 'filter': {'a': {'$oid': 'x'}}} | is not extended JSON",
        "{'update': 'shop', 'updates': [{'q': {}, 'u': {'a': 1}, 'multi': true}]} | need an update",
        "{'renameCollection': 'shop'} | unknown command \"renameCollection\"",
        // These the server alone knows.
        "{'find': 'shop', 'filter': {'$nor': 1}} | the server refuses the"
            + " statement: $nor must be an array",
        "{'aggregate': 'shop', 'pipeline': [{'$grup': {}}]} | the server refuses"
            + " the statement: ",
        "{'update': 'shop', 'updates': [{'q': {}, 'u': {'$inc': {'city': 1}}}]} |"
            + " the server refuses the statement: "
      })
  void aStatementThatIsWrong(String command, String problem) throws CallFailure {
    assertThat(check(one(command))).singleElement().asString().contains(problem);
  }

  @Test
  void whatIsWantedMustBeThere() throws CallFailure {
    assertThat(
            check(
                plan(Isolation.NONE, List.of(), List.of(wants("m")), "{'count': 'shop'}"),
                plan(
                    Isolation.NONE,
                    List.of(),
                    List.of(wants("a")),
                    "{'delete': 'shop', 'deletes': [{'q': {}, 'limit': 1}]}"),
                plan(Isolation.SERIALIZABLE, List.of(), "{'find': 'shop'}")))
        .satisfiesExactly(
            first -> assertThat(first).contains("count: unknown field \"m\"; did you mean \"n\"?"),
            second -> assertThat(second).startsWith("delete returns no documents"),
            third -> assertThat(third).startsWith("\"isolation: serializable\" does not exist"));
  }

  @Test
  void schemaAndTablesMustAgree() throws CallFailure {
    List<Problem> problems =
        admin.check(
            List.of(collection("shop", ""), collection("orders", "")),
            List.of(Rows.of("shop"), Rows.of("items")),
            List.of(),
            TYPES,
            List.of());
    assertThat(problems.toString())
        .contains("creates collection \"orders\", which workload.data.tables does not name")
        .contains("schema/mongodb.json:1: does not create collection \"items\"");
  }

  @Test
  void aSchemaThatTheServerRefuses() throws CallFailure {
    assertThat(index("text"))
        .singleElement()
        .asString()
        .contains("the server refuses the statement: ");
    ConfigException e = refusalOf(() -> index("hashed"));
    assertThat(e.key()).isEqualTo("schema.index");
    assertThat(e).hasMessageStartingWith("FerretDB 1.24.0 has no hashed indexes, as a_hashed of");
  }

  private List<Problem> index(String kind) throws CallFailure {
    String index = ", 'indexes': [{'name': 'a_%1$s', 'key': {'a': '%1$s'}}]".formatted(kind);
    return admin.check(List.of(collection("shop", index)), TABLES, List.of(), TYPES, List.of());
  }

  /** On the user's own collections nothing is run, and nothing is made. */
  @Test
  void existingCollectionsStayAsTheyAre() throws CallFailure {
    database.bson().getCollection("own").insertOne(new Document("_id", 1));
    List<Plan> plans =
        List.of(
            one("{'delete': 'own', 'deletes': [{'q': {}, 'limit': 0}]}"),
            one("{'insert': 'own', 'documents': [{'a': 1}]}"),
            one("{'find': 'ownn'}"));
    assertThat(admin.check(List.of(), List.of(), plans.subList(0, 2), TYPES, List.of())).isEmpty();
    assertThat(admin.check(List.of(), List.of(), plans, TYPES, List.of()))
        .singleElement()
        .asString()
        .contains("unknown collection \"ownn\"; did you mean \"own\"?");
    assertThat(database.bson().getCollection("own").find()).containsExactly(new Document("_id", 1));
  }

  /** The mark of a check that makes the collection shop, beside a collection. */
  private MongoDatabase leftByKilledCheck(String collection) {
    MongoDatabase left = database.client().getDatabase(scratch());
    left.getCollection("shardload_owner")
        .insertOne(
            new Document("_id", 0L)
                .append("run", "killed")
                .append("makes", List.of("shop"))
                .append("beats", 0L));
    left.getCollection(collection).insertOne(new Document("_id", 1));
    return left;
  }

  /** What a killed check has left belongs to shardload, by the mark beside it. */
  @Test
  void aScratchDatabaseThatWasLeftBehindIsTakenOver() throws CallFailure {
    leftByKilledCheck("shop");
    TestSchema.Sleeps slept = new TestSchema.Sleeps();
    try (Connections connections =
        TestConnections.open(database.url(), "", TestConnections.SESSION)) {
      StatementAdmin patient =
          new MongodbStatementAdmin(
              connections,
              ServerKind.ask(database.client()),
              SchemaOptions.read(Options.none("schema")),
              slept);
      List<Plan> plans = List.of(one("{'find': 'shop'}"));
      assertThat(patient.check(SCHEMA, TABLES, plans, TYPES, List.of())).isEmpty();
    }
    assertThat(slept.nanos).as("it looked for beats first").isNotEmpty();
  }

  /** Turned red: whatever lay beside a mark was dropped. */
  @Test
  void whatItsOwnerPutBesideTheMarkStays() {
    var left = leftByKilledCheck("precious");
    try {
      assertThatThrownBy(() -> check(one("{'find': 'shop'}")))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("holds collection precious, which shardload did not make");
      assertThat(left.getCollection("precious").countDocuments()).isEqualTo(1);
    } finally {
      left.drop();
    }
  }

  @Test
  void aRowThatBsonCannotHold() throws CallFailure {
    TableRows rows =
        new TableRows() {
          @Override
          public String table() {
            return "shop";
          }

          @Override
          public List<String> columns() {
            return List.of("price");
          }

          @Override
          public List<ValueType> types() {
            return List.of(ValueType.DECIMAL);
          }

          @Override
          public Object[] row(long number) {
            return new Object[] {new BigDecimal("1234567890.1234567890123456789012345")};
          }
        };
    assertThat(admin.check(SCHEMA, List.of(rows), List.of(), TYPES, List.of()))
        .extracting(Problem::toString)
        .containsExactly(
            "workload.yml:1: collection shop: column price is decimal, which FerretDB 1.24.0 does"
                + " not store; use integer, such as cents");
    try (Target fake = TestMongo.fake().open("{}")) {
      assertThat(
              fake.port(StatementAdmin.class)
                  .check(SCHEMA, List.of(rows), List.of(), TYPES, List.of()))
          .singleElement()
          .asString()
          .startsWith("schema/mongodb.json:");
    }
  }

  /** The fake looks at an operator when it compares a document with it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'find': 'shop', 'filter': {'$text': {'$search': 'x'}}}",
        "{'find': 'shop', 'filter': {'id': 77, 'city': {'$near': 1}}}",
        "{'count': 'shop', 'query': {'$or': [{'id': 77, 'city': {'$near': 1}}, {'id': 78}]}}",
        "{'aggregate': 'shop', 'pipeline': [{'$match': {'id': 77, 'city': {'$near': 1}}}]}",
        "{'update': 'shop', 'updates': [{'q': {'id': 77, 'city': {'$near': 1}}, 'u': {'$set': {'n': 1}}}]}"
      })
  void aConditionIsLookedAtThoughNoDocumentIsLeftForIt(String command) throws CallFailure {
    Plan emptied = one("{'delete': 'shop', 'deletes': [{'q': {}, 'limit': 0}]}");
    try (Target fake = TestMongo.fake().open("{}")) {
      List<Problem> problems =
          fake.port(StatementAdmin.class)
              .check(SCHEMA, TABLES, List.of(emptied, one(command)), TYPES, List.of());
      assertThat(problems).hasSize(1);
      assertThat(problems.get(0).text()).startsWith("the server refuses the statement: ");
    }
  }

  /** It would end the connection, as after a decimal that is sent. */
  @Test
  void aParameterThatFerretdbDoesNotStore() throws CallFailure {
    List<Plan> plans =
        List.of(one("{'find': 'shop', 'filter': {'a': {'$param': 'id'}, 'b': {'$param': 'id'}}}"));
    assertThat(admin.check(SCHEMA, TABLES, plans, Map.of("id", ValueType.DECIMAL), List.of()))
        .extracting(Problem::text)
        .containsExactly(
            "parameter id is decimal, which FerretDB 1.24.0 does not store; use integer, such as"
                + " cents");
  }
}
