package io.shardload.driver.mongodb.schema;

import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The contract on the cluster of {@code ShardedClusterTest}, in a database of its own. */
@EnabledIfEnvironmentVariable(
    named = "SHARDLOAD_TEST_MONGODB_SHARDED_URL",
    matches = ".+",
    disabledReason = "not run: SHARDLOAD_TEST_MONGODB_SHARDED_URL names no mongos")
class SchemaOnRealClusterTest extends ShardedSchemaContract {
  @Override
  String url() {
    return System.getenv("SHARDLOAD_TEST_MONGODB_SHARDED_URL");
  }

  @Override
  String database() {
    return "shardload_test_schema";
  }
}
