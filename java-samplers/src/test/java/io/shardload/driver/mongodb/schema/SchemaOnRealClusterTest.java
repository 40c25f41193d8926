package io.shardload.driver.mongodb.schema;

import io.shardload.driver.OnShardedMongodb;
import io.shardload.driver.mongodb.ShardedClusterTest;

/** The contract on the cluster of {@code ShardedClusterTest}, in a database of its own. */
@OnShardedMongodb
class SchemaOnRealClusterTest extends ShardedSchemaContract {
  @Override
  String url() {
    return ShardedClusterTest.url();
  }

  @Override
  String database() {
    return "shardload_test_schema";
  }
}
