package io.shardload.driver.mongodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.shardload.driver.OnShardedMongodb;
import io.shardload.driver.Session;
import io.shardload.driver.Target.Move;
import io.shardload.driver.mongodb.client.ClusterCatalog.Chunk;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.facts.ClusterServers;
import io.shardload.workload.CallFailure;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * On a real cluster: the address of one of its mongos, whose user may administer it, in the
 * environment.
 */
@OnShardedMongodb
public class ShardedClusterTest extends ShardedClusterContract {
  private static final String URL = "SHARDLOAD_TEST_MONGODB_SHARDED_URL";

  /** With the login, if the cluster has one. */
  public static String url() {
    String user = user();
    return user.isEmpty()
        ? System.getenv(URL)
        : System.getenv(URL).replace("://", "://" + user + ":" + password().orElseThrow() + "@");
  }

  private static String user() {
    return System.getenv().getOrDefault(URL.replace("_URL", "_USER"), "");
  }

  private static Optional<String> password() {
    return Optional.ofNullable(System.getenv(URL.replace("_URL", "_PASSWORD")));
  }

  @Override
  Connections open(TestInfo test, Session session) {
    return TestConnections.open(
        System.getenv(URL).replaceFirst("/?$", "/" + DATABASE),
        user(),
        password().orElse(null),
        "'topology': 'sharded'",
        session);
  }

  @Override
  String origin() {
    return url();
  }

  @Test
  void whatMoved() throws CallFailure {
    create("id-filter1");
    Instant begin = Instant.now();
    Chunk chunk = catalog.chunks(catalog.sharded()).get(0);
    String to = catalog.chunks(catalog.sharded()).get(1).shard();
    List<BsonDocument> bounds = List.of(chunk.min(), chunk.max());
    catalog.runAdmin("moveChunk", catalog.namespace(), "bounds", bounds, "to", to);
    assertThat(new ClusterServers(connections, kind).moves(begin, Instant.now()).orElseThrow())
        .extracting(Move::from, Move::to, Move::chunk)
        .containsExactly(
            tuple(chunk.shard(), to, chunk.min().toJson() + " to " + chunk.max().toJson()));
  }
}
