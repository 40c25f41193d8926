package io.shardload.driver.mongodb.facts;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.DataHost;
import io.shardload.driver.mongodb.client.ClusterCatalog.Shard;
import io.shardload.topology.Topology;
import java.util.List;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

/** How many servers there are, and where documents lie. */
class ClusterServersTest {
  @Test
  void membersOfAllShardsBehindTheRoutersOfTheUrl() {
    List<List<String>> sets =
        Stream.of("rs1/db1.example.net:27017", "rs2/a:27017,b:27017,c:27017")
            .map(host -> new Shard("any", host, false, List.of()).members())
            .toList();
    assertThat(ClusterServers.topology(sets, 1)).isEqualTo(new Topology(2, 4, 1));
  }

  /** Fields of {@code hello} as its page in MongoDB's manual lists them under "Replica Sets". */
  @Test
  void membersOfAReplicaSetWithThoseThatCannotBecomePrimary() {
    BsonDocument hello =
        BsonDocument.parse(
            "{setName: 'rs0', hosts: ['a:27017', 'b:27017'], passives: ['c:27017'],"
                + " arbiters: ['d:27017'], me: 'a:27017'}");
    List<String> members = ClusterServers.members(hello);
    assertThat(members).containsExactly("a:27017", "b:27017", "c:27017");
    assertThat(ClusterServers.topology(List.of(members), 0)).isEqualTo(new Topology(1, 3, 0));
    List<String> none = ClusterServers.members(BsonDocument.parse("{isWritablePrimary: true}"));
    assertThat(ClusterServers.topology(List.of(none), 0)).isEqualTo(Topology.SINGLE);
  }

  @Test
  void documentsLieOnEachHostOnce() {
    assertThat(ClusterServers.hosts(Stream.of("a:1", "b:1", "a:2", "[::1]:3")))
        .extracting(DataHost::address)
        .containsExactly("a", "b", "[::1]");
  }
}
