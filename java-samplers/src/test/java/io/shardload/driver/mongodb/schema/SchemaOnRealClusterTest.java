package io.shardload.driver.mongodb.schema;

import io.shardload.driver.OnShardedMongodb;
import io.shardload.driver.mongodb.ShardedClusterTest;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.TestInfo;

/** The contract on the cluster of {@code ShardedClusterTest}, in a database of its own. */
@OnShardedMongodb
class SchemaOnRealClusterTest extends ShardedSchemaContract {
  @Override
  String url(TestInfo test) {
    return ShardedClusterTest.url();
  }

  @Override
  String database() {
    return "shardload_test_schema";
  }

  @Override
  List<Integer> interruptions(int steps) {
    return IntStream.range(0, steps).boxed().toList();
  }
}
