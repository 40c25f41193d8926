package io.shardload.driver.postgresql.schema;

import io.shardload.Golden;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.Options;
import io.shardload.driver.postgresql.statements.DocumentStoreSqlTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The tables of the built-in workload are those of the golden file. */
class BuiltInTablesTest {
  private static final List<String> SCHEMAS =
      List.of(
          "{}",
          "{'index': 'btree', 'document-storage': 'toast-uncompressed'}",
          "{'document-storage': 'no-toast'}",
          "{'compression': 'lz4'}",
          "{'distribution': 'id'}",
          "{'distribution': 'filter1', 'shard-count': 32, 'colocate-with': 'none',"
              + " 'replication-factor': 2}",
          "{'distribution': 'id', 'colocate-with': 'other.table'}");

  @Test
  void tables() {
    StringBuilder all = new StringBuilder();
    for (String schema : SCHEMAS) {
      SchemaOptions options =
          SchemaOptions.read(new Options("schema", BundleFixture.parse(schema)));
      List<String> statements =
          new ArrayList<>(SqlFile.statements("postgresql.sql", options.variables()));
      if (options.distributed()) {
        statements.addAll(SqlFile.statements("citus.sql", options.variables()));
      }
      all.append(DocumentStoreSqlTest.schema(statements));
    }
    Golden.check("postgresql-tables.txt", all.toString());
  }
}
