package io.shardload.driver.mongodb.schema;

import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.FakeRouter;
import io.shardload.driver.mongodb.Recorded;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInfo;

/** The contract as a MongoDB 4.0.3 with two shards kept it. */
class SchemaRecordedTest extends ShardedSchemaContract {
  private FakeRouter server;

  @Override
  String url(TestInfo test) {
    server = Recorded.exchange("schema/" + Recorded.name(test));
    return server.url("");
  }

  @Override
  String database() {
    return "shardload_test_schema";
  }

  @Override
  Clock clock() {
    return Recorded.clock(new TestSchema.Sleeps());
  }

  /** Before half of the chunks are split, and before the last one is moved: the others are real. */
  @Override
  List<Integer> interruptions(int steps) {
    return List.of(steps / 2, steps - 1);
  }

  @Override
  @AfterEach
  void disconnect() {
    super.disconnect();
    server.assertDone();
    server.close();
  }
}
