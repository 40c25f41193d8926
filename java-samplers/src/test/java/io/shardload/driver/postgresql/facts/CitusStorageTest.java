package io.shardload.driver.postgresql.facts;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.postgresql.FakeConnection;
import io.shardload.workload.documentstore.port.Storage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Where the nodes of a Citus say that the documents lie, without a Citus.
 *
 * <p>Mutations that turned it red: the shard's number left in the names of indexes; their bytes not
 * counted.
 */
class CitusStorageTest {
  private static final String PLACEMENTS =
      "SELECT shardid, nodename || ':' || nodeport, result, success"
          + " FROM run_command_on_placements('data_table', $$"
          + " SELECT concat_ws(' ', reltuples::bigint, pg_table_size(c.oid), ("
          + " SELECT string_agg(i.relname || ' ' || pg_relation_size(i.oid), ' ')"
          + " FROM pg_index JOIN pg_class i ON i.oid = indexrelid WHERE indrelid = c.oid))"
          + " FROM pg_class c WHERE c.oid = '%s'::regclass $$)"
          + " ORDER BY shardid, nodename, nodeport";

  private final FakeConnection fake = new FakeConnection();

  @Test
  void eachNodeTellsOfItsPlacements() throws Exception {
    fake.expectRows(
        PLACEMENTS,
        List.of(
            List.of("7", "w1:5432", "60 1000 data_table_pkey_7 10 data_table_filter4_7 5", "t"),
            List.of("8", "w2:5432", "-1 2000 data_table_pkey_8 20 data_table_filter4_8 6", "t")));

    assertThat(CitusStorage.read(fake.connection().createStatement()))
        .isEqualTo(
            new Storage(
                3000,
                Map.of("data_table_pkey", 30L, "data_table_filter4", 11L),
                List.of(
                    new Storage.Placement("7", "w1:5432", 60, 1015),
                    new Storage.Placement("8", "w2:5432", -1, 2026)),
                Map.of()));
  }

  /** A sum over the others would pass for that over all. */
  @Test
  void aNodeThatDoesNotAnswerIsNamedAndSumsAreNotKnown() throws Exception {
    String refused = "failed to connect to w2:5432";
    fake.expectRows(
        PLACEMENTS,
        List.of(
            List.of("7", "w1:5432", "60 1000 data_table_pkey_7 10", "t"),
            List.of("8", "w2:5432", refused, "f"),
            List.of("9", "w2:5432", refused, "f")));

    assertThat(CitusStorage.read(fake.connection().createStatement()))
        .isEqualTo(
            new Storage(
                -1,
                Map.of(),
                List.of(
                    new Storage.Placement("7", "w1:5432", 60, 1010),
                    new Storage.Placement("8", "w2:5432", -1, -1),
                    new Storage.Placement("9", "w2:5432", -1, -1)),
                Map.of("nodes_without_answer", "w2:5432")));
  }
}
