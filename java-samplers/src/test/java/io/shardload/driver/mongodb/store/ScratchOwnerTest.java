package io.shardload.driver.mongodb.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoDatabase;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.driver.TestMongo.Kind;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.TestConnections;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.workload.CallFailure;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The scratch database is dropped only if it is ours and nobody uses it.
 *
 * <p>Mutations that turned it red: collections of others overlooked; the beats not looked at.
 */
class ScratchOwnerTest {
  private static final Set<String> MADE = Set.of("data_table");

  /** A clock whose sleeps cost no time, but let something happen. */
  private record Leap(AtomicLong now, Runnable meanwhile) implements Clock {
    static Leap with(Runnable meanwhile) {
      return new Leap(new AtomicLong(), meanwhile);
    }

    @Override
    public long nanoTime() {
      return now.get();
    }

    @Override
    public void sleepUntil(long nanoTime) {
      now.set(nanoTime);
      meanwhile.run();
    }
  }

  @ParameterizedTest
  @EnumSource
  void anApplicationsDatabaseStays(Kind kind) {
    TestMongo.Database database = kind.fresh();
    MongoDatabase scratch = database.client().getDatabase(database.name() + "_shardload_scratch");
    scratch.getCollection("data_table").insertOne(new Document("name", "precious"));
    Session session = Session.controller("one", 1, Duration.ofSeconds(5));
    try (Target target = database.open("{}", session)) {
      assertThatThrownBy(() -> target.scratch(List.of("data_table")))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("holds collection data_table, which shardload did not make");
    }
    assertThat(scratch.getCollection("data_table").countDocuments()).isEqualTo(1);
  }

  /** MongoDB 4.0.3 failed with code 82 through a router that knew the dropped one. */
  @Test
  void eachRouterLooksTheDatabaseUpAgain() {
    try (FakeRouter one = FakeRouter.router("4.0.3");
        FakeRouter two = FakeRouter.router("4.0.3")) {
      one.expect("admin", "{flushRouterConfig: 'app_scratch'}");
      two.expectFailure("admin", "{flushRouterConfig: 'app_scratch'}", 13);
      String url = one.url("app").replace("/app", "," + two.address() + "/app");
      try (Connections connections =
          TestConnections.open(url, "'topology': 'sharded'", TestConnections.SESSION)) {
        connections.inDatabase("app_scratch").close();
      }
      one.assertDone();
      two.assertDone();
    }
  }

  @ParameterizedTest
  @EnumSource
  void oneProcessAtATimeUsesIt(Kind kind) throws CallFailure {
    MongoDatabase database = kind.fresh().bson();
    try (ScratchOwner owner = ScratchOwner.claim(database, "one", Clock.SYSTEM, MADE)) {
      database.getCollection("data_table").insertOne(new Document("name", "in use"));
      assertThatThrownBy(() -> ScratchOwner.claim(database, "two", Leap.with(owner::beat), MADE))
          .isInstanceOf(ConfigException.class)
          .hasMessage(
              "run one is using database %s right now; wait until it ends"
                  .formatted(database.getName()));
    }
  }

  @Test
  void whatAKilledProcessLeftIsTakenOverByOne() throws CallFailure {
    MongoDatabase database = TestMongo.fake().bson();
    ScratchOwner.claim(database, "killed", Clock.SYSTEM, MADE).close();
    Runnable nothing = () -> {};
    try (ScratchOwner next = ScratchOwner.claim(database, "next", Leap.with(nothing), MADE)) {
      assertThatThrownBy(() -> ScratchOwner.claim(database, "late", Leap.with(next::beat), MADE))
          .hasMessageContaining("run next is using database");
    }
  }

  @Test
  void anApplicationsCollectionInOurDatabaseStays() throws CallFailure {
    MongoDatabase database = TestMongo.fake().bson();
    ScratchOwner.claim(database, "killed", Clock.SYSTEM, MADE).close();
    database.createCollection("orders");
    assertThatThrownBy(() -> ScratchOwner.claim(database, "next", Leap.with(() -> {}), MADE))
        .hasMessageContaining("holds collection orders, which shardload did not make");
  }
}
