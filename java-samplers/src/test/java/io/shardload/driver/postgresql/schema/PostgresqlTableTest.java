package io.shardload.driver.postgresql.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.shardload.config.ConfigException;
import io.shardload.driver.Makings;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The table is the one of the study, or it is refused.
 *
 * <p>Mutation that turned it red: the columns compared by name only.
 */
class PostgresqlTableTest {
  private final Database database = TestDatabases.fresh();

  @ParameterizedTest
  @CsvSource({
    "ALTER TABLE data_table ALTER filter3 TYPE int, has column filter3 as integer instead of bigint",
    "ALTER TABLE data_table DROP edition, has no column edition",
    "ALTER TABLE data_table ADD mine int, has a column mine that shardload did not create",
    "ALTER TABLE data_table ALTER filter1 TYPE varchar(64),"
        + " has column filter1 as character varying(64) instead of character varying(128)"
  })
  void aTableWithOtherColumnsIsRefused(String alteration, String message) throws CallFailure {
    try (Target target = database.open("{}")) {
      DocumentStoreAdmin admin = target.port(DocumentStoreAdmin.class);
      assertThat(admin.createSchema(Making.UNRECORDED, Progress.UNHEARD)).isTrue();
      assertThat(admin.createSchema(Making.UNRECORDED, Progress.UNHEARD)).isFalse();
      database.execute(alteration);

      ConfigException e =
          catchThrowableOfType(
              ConfigException.class, () -> admin.createSchema(Making.UNRECORDED, Progress.UNHEARD));
      assertThat(e).hasMessageContaining(message);
      assertThat(admin.createSchema(Makings.again(target, "data_table"), Progress.UNHEARD))
          .isTrue();
      assertThat(admin.createSchema(Making.UNRECORDED, Progress.UNHEARD)).isFalse();
    }
  }

  @Test
  void theSchemaIsTheOneOfTheStudy() throws CallFailure {
    try (Target target = database.open("{}")) {
      target.port(DocumentStoreAdmin.class).createSchema(Making.UNRECORDED, Progress.UNHEARD);
    }
    assertThat(
            database.ask(
                "SELECT replace(indexdef, 'public.', '') FROM pg_indexes"
                    + " WHERE tablename = 'data_table'"))
        .extracting(definition -> definition.replaceAll("^.* USING ", ""))
        .containsExactlyInAnyOrder(
            "btree (id, filter1)",
            "hash (filter1)",
            "hash (filter4)",
            "hash (filter5)",
            "btree (id, filter2)",
            "btree (id, filter3)");
  }
}
