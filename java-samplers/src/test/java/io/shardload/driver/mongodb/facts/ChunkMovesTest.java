package io.shardload.driver.mongodb.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.driver.Session;
import io.shardload.driver.Target.Move;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.Address;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.ServerKind.Product;
import io.shardload.driver.mongodb.client.Settings;
import io.shardload.workload.CallFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * The entries are those that MongoDB's {@code migration_source_manager.cpp} logs: {@code
 * moveChunk.commit} with min, max, from, to and counts.
 */
class ChunkMovesTest {
  private static final Instant BEGIN = Instant.parse("2026-11-22T10:00:00Z");
  private static final Instant END = BEGIN.plusSeconds(60);
  private static final String FIND =
      "{find: 'changelog', readConcern: {level: 'majority'}, filter: {what: 'moveChunk.commit', ns:"
          + " {$regularExpression: {pattern: '^\\\\Qapp.\\\\E', options: ''}}, time: {$gte: {$date:"
          + " 0}, $lte: {$date: 0}}}, sort: {time: 1}}";

  private static String entry(String time, String from, String to, long min) {
    return """
    {_id: 'x', server: 'db1:27018', shard: '%s', clientAddr: '', time: {$date: '%s'},
     what: 'moveChunk.commit', ns: 'app.orders', details: {min: {id: {$numberLong: '%d'}},
     max: {id: {$maxKey: 1}}, from: '%s', to: '%s', counts: {cloned: 5}}}"""
        .formatted(from, time, min, from, to);
  }

  private static Optional<List<Move>> read(FakeRouter router, Product product) throws CallFailure {
    JsonObject options = JsonParser.parseString("{\"topology\": \"sharded\"}").getAsJsonObject();
    try (Connections connections =
        new Connections(
            Address.parse(router.url("app")),
            "",
            Optional.empty(),
            Settings.read(new Options("target.options", options), true),
            new Session("test", 2, Duration.ofSeconds(5)))) {
      return new ChunkMoves(connections, new ServerKind(product, "8.0.4")).read(BEGIN, END);
    }
  }

  @Test
  void whatMovedMeanwhile() throws CallFailure {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      router.expect(
          "config",
          FIND,
          FakeRouter.rows(
              entry("2026-11-22T10:00:12Z", "s0", "s1", -7),
              entry("2026-11-22T10:00:40Z", "s0", "s2", 9)));
      List<Move> moves = read(router, Product.ROUTER).orElseThrow();
      router.assertDone();
      assertThat(moves)
          .containsExactly(
              new Move(
                  Instant.parse("2026-11-22T10:00:12Z"),
                  "s0",
                  "s1",
                  "{\"id\": -7} to {\"id\": {\"$maxKey\": 1}}"),
              new Move(
                  Instant.parse("2026-11-22T10:00:40Z"),
                  "s0",
                  "s2",
                  "{\"id\": 9} to {\"id\": {\"$maxKey\": 1}}"));
    }
  }

  /** The times of moves are converted to this machine's clock, which measured the run. */
  @Test
  void theClustersClockIsAnother() throws CallFailure {
    Instant ahead = Instant.now().plus(Duration.ofHours(3));
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      router
          .says("msg: 'isdbgrid', localTime: {$date: '" + ahead + "'}")
          .expect("config", FIND, FakeRouter.rows(entry("2026-11-22T13:00:12Z", "s0", "s1", -7)));
      Instant at = read(router, Product.ROUTER).orElseThrow().get(0).at();
      assertThat(at).isBetween(BEGIN.minusSeconds(60), END.plusSeconds(60));
      router.assertDone();
    }
  }

  @Test
  void whoMayNotReadTheLogDoesNotKnow() throws CallFailure {
    try (FakeRouter router = FakeRouter.router("8.0.4")) {
      router.expectFailure("config", FIND, 13);
      assertThatThrownBy(() -> read(router, Product.ROUTER))
          .isInstanceOfSatisfying(
              CallFailure.class, failure -> assertThat(failure.kind()).isEqualTo("not-allowed"))
          .hasMessageEndingWith("; the role clusterMonitor allows it");
      router.assertDone();
      assertThat(read(router, Product.REPLICA_SET)).isEmpty();
    }
  }
}
