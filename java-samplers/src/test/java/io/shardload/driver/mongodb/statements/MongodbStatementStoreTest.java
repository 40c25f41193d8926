package io.shardload.driver.mongodb.statements;

import static io.shardload.driver.Caught.failureOf;
import static io.shardload.driver.mongodb.statements.Commands.capture;
import static io.shardload.driver.mongodb.statements.Commands.plan;
import static io.shardload.driver.mongodb.statements.Commands.rows;
import static io.shardload.driver.mongodb.statements.Commands.run;
import static io.shardload.driver.mongodb.statements.Commands.wants;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import com.mongodb.client.MongoCollection;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.driver.mongodb.statements.Commands.Told;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import io.shardload.workload.statements.calls.Judged;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementBaseline;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.Step;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each command on a real FerretDB 1.24 and on mongo-java-server, a fake of MongoDB. */
class MongodbStatementStoreTest {
  private static final Isolation NONE = Isolation.NONE;

  private TestMongo.Database database;
  @AutoClose private Target target;
  private StatementStore store;

  private static final List<Step> TWO = List.of(new Step(2, 2, Map.of(), Map.of()));
  private static final List<Step> ONE = List.of(new Step(1, 1, Map.of(), Map.of()));

  private void open(TestMongo.Kind kind) {
    database = kind.fresh();
    target = database.open("{}");
    store = target.port(StatementStore.class);
  }

  private MongoCollection<BsonDocument> shop() {
    return database.bson().getCollection("shop", BsonDocument.class);
  }

  private void insert(String... documents) {
    for (String document : documents) {
      shop().insertOne(BsonDocument.parse(document));
    }
  }

  /** What comes of a command of which one field is wanted. */
  private List<String> lines(String wanted, String command) throws CallFailure {
    return run(store, plan(NONE, List.of(), List.of(wants(wanted)), command)).lines;
  }

  private String stored(int id) {
    return shop().find(new BsonDocument("_id", new BsonInt32(id))).first().toJson();
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void findHandsOverWhatIsWanted(TestMongo.Kind kind) throws CallFailure {
    open(kind);
    insert("{_id: 1, city: 'Oslo', a: {b: 7}}", "{_id: 2, city: 'Oslo'}", "{_id: 3, city: 'Rom'}");
    Plan plan =
        plan(
            NONE,
            List.of("city"),
            List.of(wants("_id", "a.b")),
            "{'find': 'shop', 'filter': {'city': {'$param': 'city'}}, 'sort': {'_id': -1}}");
    Told told = run(store, plan, "Oslo");
    assertThat(told.lines).containsExactly("begin", "0: [2, null]", "0: [1, 7]", "0 ended: 2");
    assertThat(told.phases.names()).containsExactly("connected", "acknowledged");
    assertThat(run(store, plan, "Bergen").lines).containsExactly("begin", "0 ended: 0");
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void aCursorIsReadToItsEnd(TestMongo.Kind kind) throws CallFailure {
    open(kind);
    for (int i = 0; i < 250; i++) {
      insert("{_id: " + i + "}");
    }
    Told told =
        run(
            store,
            plan(
                NONE,
                List.of(),
                List.of(wants("_id")),
                "{'find': 'shop', 'sort': {'_id': 1}, 'batchSize': 100}"));
    assertThat(told.lines).hasSize(252).contains("0: [249]").endsWith("0 ended: 250");
    assertThat(told.phases.names()).containsExactly("connected", "found");
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void everyTypeGoesThereAndBack(TestMongo.Kind kind) throws CallFailure {
    open(kind);
    Object[] values = {
      5_000_000_000L,
      new UUID(1, 2),
      "text",
      Instant.parse("2026-01-02T03:04:05.678Z"),
      true,
      JsonParser.parseString("{\"a\":[1,\"b\",null]}"),
      null
    };
    List<String> names = List.of("i", "u", "s", "t", "b", "j", "n");
    StringBuilder fields = new StringBuilder();
    names.forEach(n -> fields.append(", '%s': {'$param': '%s'}".formatted(n, n)));
    run(
        store,
        plan(NONE, names, "{'insert': 'shop', 'documents': [{'_id': 1" + fields + "}]}"),
        values);
    Told told =
        run(
            store,
            plan(
                NONE,
                List.of(),
                List.of(wants(names.toArray(new String[0]))),
                "{'find': 'shop', 'filter': {}}"));
    // In the order of their names: b, i, j, n, s, t, u.
    assertThat(told.values)
        .containsExactly(values[4], values[0], values[5], null, values[2], values[3], values[1]);
    assertThat(stored(1))
        .contains("\"i\": 5000000000", "\"subType\": \"04\"", "\"t\": {\"$date\": ");
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void writesCountWhatTheyMatch(TestMongo.Kind kind) throws CallFailure {
    open(kind);
    assertThat(
            rows(
                store, "{'insert': 'shop', 'documents': [{'_id': 1, 'n': 1}, {'_id': 2, 'n': 1}]}"))
        .isEqualTo("0 ended: 2");
    String update = "{'update': 'shop', 'updates': [{'q': %s, 'u': %s%s}]}";
    assertThat(rows(store, update.formatted("{'_id': 1}", "{'$set': {'n': 1}}", "")))
        .as("matched, though nothing was modified")
        .isEqualTo("0 ended: 1");
    assertThat(rows(store, update.formatted("{'_id': 9}", "{'$inc': {'n': 1}}", "")))
        .isEqualTo("0 ended: 0");
    assertThat(rows(store, update.formatted("{'n': 1}", "{'$inc': {'n': 4}}", ", 'multi': true")))
        .isEqualTo("0 ended: 2");
    assertThat(rows(store, update.formatted("{'_id': 3}", "{'n': 8}", ", 'upsert': true")))
        .isEqualTo("0 ended: 1");
    assertThat(stored(1)).isEqualTo("{\"_id\": 1, \"n\": 5}");
    assertThat(stored(3)).isEqualTo("{\"_id\": 3, \"n\": 8}");
    String delete = "{'delete': 'shop', 'deletes': [{'q': {'n': 5}, 'limit': %d}]}";
    assertThat(rows(store, delete.formatted(1))).isEqualTo("0 ended: 1");
    assertThat(rows(store, delete.formatted(0))).isEqualTo("0 ended: 1");
    assertThat(rows(store, delete.formatted(0))).isEqualTo("0 ended: 0");
  }

  /** Mutation: a failure after a write is unknown, whatever it wrote. */
  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void aSingleUpdateOfNoDocumentIsRefused(TestMongo.Kind kind) {
    open(kind);
    insert("{_id: 1, n: 3}");
    Step guard = new Step(1, 1, List.of(), null, Map.of(), true, "");
    String debit =
        "{'update': 'shop', 'updates': [{'q': {'_id': 1, 'n': {'$gte': {'$param': 'sum'}}},"
            + " 'u': {'$inc': {'n': -2}}}]}";
    Plan plan = plan(NONE, List.of("sum"), List.of(guard), debit);
    assertThat(Judged.outcome(store, plan, 2L)).isEqualTo(new Outcome.Done(1, 1, false));
    assertThat(Judged.outcome(store, plan, 2L)).isEqualTo(Outcome.REFUSED);
    assertThat(stored(1)).isEqualTo("{\"_id\": 1, \"n\": 1}");
  }

  /** Mutation: the values of the first element in each repetition. */
  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void aStatementIsRunForEachElement(TestMongo.Kind kind) {
    open(kind);
    Step each = new Step(1, 1, List.of(), null, Map.of(), false, "lines");
    String line =
        "{'insert': 'shop', 'documents': [{'_id': {'$param': 'id'}, 'n': {'$param': 'n'}}]}";
    Plan plan = plan(NONE, List.of("id", "n"), List.of(each), line);
    Object[] ids = {1L, 2L, 3L};
    assertThat(Judged.outcome(store, plan, ids, 7L)).isEqualTo(new Outcome.Done(3, 3, false));
    assertThat(stored(1)).isEqualTo("{\"_id\": 1, \"n\": 7}");
    assertThat(stored(3)).isEqualTo("{\"_id\": 3, \"n\": 7}");
    assertThat(Judged.outcome(store, plan, new Object[] {4L, 2L}, 8L))
        .isEqualTo(new Outcome.Unknown("duplicate-key"));
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void findAndModifyReturnsTheDocument(TestMongo.Kind kind) throws CallFailure {
    open(kind);
    insert("{_id: 1, n: 1}");
    String text = "{'findAndModify': 'shop', 'query': {'_id': 1}, %s}";
    assertThat(lines("n", text.formatted("'update': {'$inc': {'n': 1}}")))
        .containsExactly("begin", "0: [1]", "0 ended: 1");
    assertThat(lines("n", text.formatted("'update': {'n': 7}, 'new': true")))
        .containsExactly("begin", "0: [7]", "0 ended: 1");
    String remove = text.formatted("'remove': true");
    assertThat(lines("n", remove)).containsExactly("begin", "0: [7]", "0 ended: 1");
    assertThat(lines("n", remove)).containsExactly("begin", "0 ended: 0");
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void countDistinctAndAggregate(TestMongo.Kind kind) throws CallFailure {
    open(kind);
    insert("{_id: 1, c: 'x', n: 2}", "{_id: 2, c: 'y', n: 3}", "{_id: 3, c: 'x', n: 4}");
    assertThat(lines("n", "{'count': 'shop', 'query': {'c': 'x'}}"))
        .containsExactly("begin", "0: [2]", "0 ended: 1");
    assertThat(lines("value", "{'distinct': 'shop', 'key': 'c'}"))
        .containsExactly("begin", "0: [x]", "0: [y]", "0 ended: 2");
    Plan sum =
        plan(
            NONE,
            List.of("c"),
            List.of(wants("sum")),
            "{'aggregate': 'shop', 'pipeline': [{'$match': {'c': {'$param': 'c'}}},"
                + " {'$group': {'_id': '$c', 'sum': {'$sum': '$n'}}}], 'cursor': {}}");
    assertThat(run(store, sum, "x").lines).containsExactly("begin", "0: [6]", "0 ended: 1");
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void laterStatementsUseWhatIsCaptured(TestMongo.Kind kind) throws CallFailure {
    open(kind);
    insert("{_id: 1, owner: 5, at: {$date: '2026-01-01T00:00:00Z'}}");
    Plan plan =
        plan(
            NONE,
            List.of("id"),
            List.of(capture("at", "owner"), Step.ANY),
            "{'find': 'shop', 'filter': {'_id': {'$param': 'id'}}}",
            "{'insert': 'shop', 'documents': [{'_id': {'$param': 'owner'}, 'at': {'$param':"
                + " 'at'}}]}");
    assertThat(run(store, plan, 1L).lines).endsWith("0 ended: 1", "1 ended: 1");
    assertThat(stored(5)).contains("\"at\": {\"$date\": \"2026-01-01T00:00:00Z\"}");
    assertThat(Judged.outcome(store, plan, 99L))
        .isEqualTo(new Outcome.Failed(StatementStore.NOTHING_CAPTURED));
    assertThat(shop().countDocuments()).isEqualTo(2);
  }

  /** A CSV file may have microseconds, a date has milliseconds. */
  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void aDateEqualsTheMillisecondsOfAParameter(TestMongo.Kind kind) {
    open(kind);
    insert("{_id: 1, at: {$date: '2026-01-31T12:34:56.789Z'}}");
    Plan plan =
        plan(
            NONE,
            List.of("at"),
            List.of(new Step(1, 1, Map.of("at", "at"), Map.of())),
            "{'find': 'shop', 'filter': {'at': {'$gt': {'$param': 'at'}}}}");
    Plan all = plan(NONE, List.of("at"), plan.steps(), "{'find': 'shop', 'filter': {}}");
    Instant right = Instant.parse("2026-01-31T12:34:56.789999Z");
    assertThat(Judged.outcome(store, all, right)).isEqualTo(Outcome.done(1));
    Instant other = Instant.parse("2026-01-31T12:34:56.788999Z");
    assertThat(Judged.outcome(store, plan, other)).isEqualTo(new Outcome.Failed("wrong-row"));
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void afterAWriteAFailureIsUnknown(TestMongo.Kind kind) {
    open(kind);
    insert("{_id: 1}");
    String first = "{'insert': 'shop', 'documents': [{'_id': %d}]}";
    String duplicate = "{'insert': 'shop', 'documents': [{'_id': 1}]}";
    CallFailure alone = failureOf(() -> run(store, plan(NONE, List.of(), duplicate)));
    assertThat(alone.kind()).isEqualTo(CallFailure.DUPLICATE_KEY);
    assertThat(alone.effectExcluded()).isTrue();
    CallFailure after =
        failureOf(() -> run(store, plan(NONE, List.of(), first.formatted(7), duplicate)));
    assertThat(after.kind()).isEqualTo(CallFailure.DUPLICATE_KEY);
    assertThat(after.effectExcluded()).isFalse();
    assertThat(stored(7)).isEqualTo("{\"_id\": 7}");
    CallFailure second =
        failureOf(
            () ->
                run(
                    store,
                    plan(
                        NONE,
                        List.of(),
                        "{'insert': 'shop', 'documents': [{'_id': 8}, {'_id': 1}]}")));
    assertThat(second.effectExcluded()).as("the first of two is there").isFalse();
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void aConstantDocumentGetsANewIdEachTime(TestMongo.Kind kind) throws CallFailure {
    open(kind);
    Plan plan = plan(NONE, List.of(), "{'insert': 'shop', 'documents': [{'a': 1}]}");
    for (int i = 0; i < 3; i++) {
      assertThat(run(store, plan).lines).endsWith("0 ended: 1");
    }
    assertThat(shop().countDocuments()).isEqualTo(3);
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void doublesAndDecimalsAreNumbers(TestMongo.Kind kind) throws CallFailure {
    open(kind);
    insert("{_id: 1, d: 2.5}");
    Plan plan = plan(NONE, List.of(), List.of(wants("d")), "{'find': 'shop'}");
    assertThat(run(store, plan).values).containsExactly(new BigDecimal("2.5"));
  }

  // The plain loop on a real FerretDB 1.24 and on mongo-java-server, a fake of MongoDB.

  private StatementBaseline plain(TestMongo.Kind kind) {
    open(kind);
    return target.port(StatementBaseline.class);
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void findsAndUpdates(TestMongo.Kind kind) throws CallFailure {
    StatementBaseline plain = plain(kind);
    MongoCollection<BsonDocument> shop = database.bson().getCollection("shop", BsonDocument.class);
    for (int i = 0; i < 5; i++) {
      shop.insertOne(BsonDocument.parse("{_id: %d, city: 'Oslo'}".formatted(i)));
    }
    Plan find =
        plan(
            Isolation.NONE,
            List.of("city", "n"),
            TWO,
            "{'find': 'shop', 'filter': {'city': {'$param': 'city'}}, 'sort': {'_id': -1},"
                + " 'skip': 1, 'limit': {'$param': 'n'}}");
    assertThat(plain.lacks(find)).isEmpty();
    plain.prepare(find, new Object[] {"Oslo", 2L}).run();
    assertThat(failureOf(() -> plain.prepare(find, new Object[] {"Rom", 2L}).run()).kind())
        .isEqualTo(Answers.WRONG_ROW);
    Plan update =
        plan(
            Isolation.NONE,
            List.of("id", "city"),
            ONE,
            "{'update': 'shop', 'updates': [{'q': {'_id': {'$param': 'id'}},"
                + " 'u': {'$set': {'city': {'$param': 'city'}}}}]}");
    assertThat(plain.lacks(update)).isEmpty();
    StatementBaseline.Call call = plain.prepare(update, new Object[] {3L, "Rom"});
    call.run();
    call.run();
    assertThat(shop.countDocuments(BsonDocument.parse("{city: 'Rom'}"))).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'count': 'shop'}",
        "{'find': 'shop', 'hint': {'_id': 1}}",
        "{'update': 'shop', 'updates': [{'q': {}, 'u': {'$set': {'a': 1}}, 'multi': true}]}",
        "{'update': 'shop', 'updates': [{'q': {}, 'u': {'a': 1}}]}"
      })
  void whatThePlainLoopLacksIsSaid(String command) {
    StatementBaseline plain = plain(TestMongo.Kind.FAKE);
    assertThat(plain.lacks(plan(Isolation.NONE, List.of(), command)))
        .contains("supports only find");
  }

  @Test
  void severalStatementsAreNotCompared() {
    StatementBaseline plain = plain(TestMongo.Kind.FAKE);
    String find = "{'find': 'shop'}";
    assertThat(plain.lacks(plan(Isolation.NONE, List.of(), find, find))).contains("single");
    assertThat(plain.lacks(plan(Isolation.DEFAULT, List.of(), find))).contains("single");
  }
}
