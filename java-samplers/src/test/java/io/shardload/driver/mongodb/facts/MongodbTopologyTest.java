package io.shardload.driver.mongodb.facts;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.driver.Session;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.client.Address;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.ServerKind.Product;
import io.shardload.driver.mongodb.client.Settings;
import io.shardload.topology.Topology;
import java.time.Duration;
import java.util.Optional;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

/**
 * How many servers there are. The answers have the fields of MongoDB's manual: {@code listShards},
 * whose example is that of the page "listShards", and {@code hello} of a replica set, with the
 * fields that its page lists under "Replica Sets".
 */
class MongodbTopologyTest {
  private static Connections connections(FakeRouter server) {
    Options options =
        new Options(
            "target.options",
            JsonParser.parseString("{\"topology\": \"sharded\"}").getAsJsonObject());
    return new Connections(
        Address.parse(server.url("app")),
        "",
        Optional.empty(),
        Settings.read(options, true),
        new Session("test", 2, Duration.ofSeconds(5)));
  }

  @Test
  void membersOfAllShardsBehindTheRoutersOfTheUrl() {
    try (FakeRouter router = FakeRouter.router("8.0.4");
        Connections connections = connections(router)) {
      router.expect(
          "admin",
          "{listShards: 1}",
          "{ok: 1, shards: ["
              + "{_id: 'shard01', host: 'rs1/mongodb01.example.net:27017', state: 1},"
              + "{_id: 'shard02', host: 'rs2/a.example.net:27017,b.example.net:27017,"
              + "c.example.net:27017', state: 1, draining: true}]}");
      assertThat(new MongodbTopology(connections, new ServerKind(Product.ROUTER, "8.0.4")).read())
          .contains(new Topology(2, 4, 1));
      router.assertDone();
    }
  }

  @Test
  void aUserWhoMayNotListShardsIsToldNothing() {
    try (FakeRouter router = FakeRouter.router("8.0.4");
        Connections connections = connections(router)) {
      router.expectFailure("admin", "{listShards: 1}", 13);
      assertThat(new MongodbTopology(connections, new ServerKind(Product.ROUTER, "8.0.4")).read())
          .isEmpty();
    }
  }

  @Test
  void membersOfAReplicaSetWithThoseThatCannotBecomePrimary() {
    BsonDocument hello =
        BsonDocument.parse(
            "{setName: 'rs0', hosts: ['a:27017', 'b:27017'], passives: ['c:27017'],"
                + " arbiters: ['d:27017'], me: 'a:27017'}");
    assertThat(MongodbTopology.single(hello)).isEqualTo(new Topology(1, 3, 0));
    assertThat(MongodbTopology.single(BsonDocument.parse("{isWritablePrimary: true}")))
        .isEqualTo(Topology.SINGLE);
  }
}
