package io.shardload.driver.mongodb.statements;

import static io.shardload.driver.Caught.failureOf;
import static io.shardload.driver.mongodb.statements.Commands.plan;
import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.client.MongoCollection;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementBaseline;
import io.shardload.workload.statements.port.Step;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The plain loop on a real FerretDB 1.24 and on mongo-java-server, a fake of MongoDB. */
class MongodbStatementBaselineTest {
  private static final List<Step> TWO = List.of(new Step(2, 2, Map.of(), Map.of()));
  private static final List<Step> ONE = List.of(new Step(1, 1, Map.of(), Map.of()));

  private TestMongo.Database database;
  @AutoClose private Target target;

  private StatementBaseline open(TestMongo.Kind kind) {
    database = kind.fresh();
    target = database.open("{}");
    return target.port(StatementBaseline.class);
  }

  @ParameterizedTest
  @EnumSource(TestMongo.Kind.class)
  void findsAndUpdates(TestMongo.Kind kind) throws CallFailure {
    StatementBaseline plain = open(kind);
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
    StatementBaseline plain = open(TestMongo.Kind.FAKE);
    assertThat(plain.lacks(plan(Isolation.NONE, List.of(), command)))
        .contains("supports only find");
  }

  @Test
  void severalStatementsAreNotCompared() {
    StatementBaseline plain = open(TestMongo.Kind.FAKE);
    String find = "{'find': 'shop'}";
    assertThat(plain.lacks(plan(Isolation.NONE, List.of(), find, find))).contains("single");
    assertThat(plain.lacks(plan(Isolation.DEFAULT, List.of(), find))).contains("single");
  }
}
