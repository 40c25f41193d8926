package io.shardload.driver.mongodb;

import io.shardload.driver.Session;
import io.shardload.driver.mongodb.client.Connections;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInfo;

/** The contract as a MongoDB 4.0.3 with two shards kept it. */
class ShardedClusterRecordedTest extends ShardedClusterContract {
  private FakeRouter server;

  @Override
  Connections open(TestInfo test, Session session) {
    server = Recorded.exchange("cluster/" + Recorded.name(test));
    return TestConnections.open(server.url(DATABASE), "'topology': 'sharded'", session);
  }

  @Override
  String origin() {
    return Recorded.origin(server);
  }

  @Override
  @AfterEach
  void disconnect() {
    super.disconnect();
    server.assertDone();
    server.close();
  }
}
