package io.shardload.driver.mongodb.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.workload.documentstore.port.Key;
import java.util.List;
import java.util.UUID;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;

/** How verification reads documents back by key, on each kind of server. */
class MongodbReadsByKeyTest {
  private static final UUID TENANT = UUID.fromString("00112233-4455-4677-8899-aabbccddeeff");

  /** Keys to read back: one targeted find for each tenant, and elsewhere one for all. */
  @Test
  void keysAreReadInBatches() {
    UUID other = UUID.fromString("ffeeddcc-bbaa-4988-b766-554433221100");
    List<Key> keys = List.of(new Key(TENANT, "f1"), new Key(other, "f2"), new Key(TENANT, "f3"));
    assertThat(Statements.byKeys(keys, new ServerKind(ServerKind.Product.ROUTER, "8.0.4")))
        .containsExactlyInAnyOrder(
            BsonDocument.parse("{id: {$uuid: '" + TENANT + "'}, filter1: {$in: ['f1', 'f3']}}"),
            BsonDocument.parse("{id: {$uuid: '" + other + "'}, filter1: {$in: ['f2']}}"));
    BsonDocument all = BsonDocument.parse("{filter1: {$in: ['f1', 'f2', 'f3']}}");
    assertThat(Statements.byKeys(keys, new ServerKind(ServerKind.Product.REPLICA_SET, "8.0.4")))
        .containsExactly(all);
    assertThat(Statements.byKeys(keys, new ServerKind(ServerKind.Product.FERRETDB, "2.7.0")))
        .containsExactly(all);
    assertThat(Statements.byKeys(keys, new ServerKind(ServerKind.Product.FERRETDB, "1.24.0")))
        .containsExactly(
            BsonDocument.parse("{_id: 'f1'}"),
            BsonDocument.parse("{_id: 'f2'}"),
            BsonDocument.parse("{_id: 'f3'}"));
  }
}
