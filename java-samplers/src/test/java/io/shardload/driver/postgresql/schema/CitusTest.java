package io.shardload.driver.postgresql.schema;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.postgresql.FakeConnection;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The exact statements that Citus gets, in order, without a Citus.
 *
 * <p>Mutations that turned it red: either bound of the version; a worker not told from a
 * coordinator; no quoting of a table's name; CHECKPOINT on one node.
 */
class CitusTest {
  private static final String TABLE =
      "SELECT column_to_column_name(logicalrelid, partkey), count(DISTINCT shardid), count(*),"
          + " colocationid FROM pg_dist_partition JOIN pg_dist_shard USING (logicalrelid)"
          + " JOIN pg_dist_placement USING (shardid) WHERE logicalrelid = 'data_table'::regclass"
          + " GROUP BY logicalrelid, partkey, colocationid";

  private final FakeConnection fake = new FakeConnection();

  private static SchemaOptions options(String json) {
    return SchemaOptions.read(
        new Options("schema", JsonParser.parseString(json).getAsJsonObject()));
  }

  private void check(String schema) throws Exception {
    Statement statement = fake.connection().createStatement();
    Citus.of(statement).check(statement, options(schema));
  }

  private void expectACitus(String version) {
    fake.expect("SELECT extversion FROM pg_extension WHERE extname = 'citus'", List.of(version))
        .expect("SELECT groupid <> 0 FROM pg_dist_local_group", List.of("f"))
        .expect(
            "SELECT count(*) FROM pg_dist_node"
                + " WHERE shouldhaveshards AND isactive AND noderole = 'primary'",
            List.of("2"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"11.3-1", "13.0-1"})
  void theOldestAndTheNewestAreTaken(String version) throws Exception {
    expectACitus(version);
    check("{'distribution': 'id', 'replication-factor': 2}");
    assertThat(fake.nothingLeft()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"10.2-4, Citus 10.2-4 is not supported", "14.0-1, Citus 14.0-1 is not supported"})
  void anUnsupportedCitusIsRefusedBeforeAnythingIsMade(String version, String message) {
    fake.expect("SELECT extversion FROM pg_extension WHERE extname = 'citus'", List.of(version));

    ConfigException e = refusalOf(() -> check("{'distribution': 'id'}"));

    assertThat(e).hasMessageContaining(message);
  }

  @Test
  void aWorkerAndTooFewNodesAreRefusedBeforeAnythingIsMade() {
    fake.expect("SELECT extversion FROM pg_extension WHERE extname = 'citus'", List.of("12.1-1"))
        .expect("SELECT groupid <> 0 FROM pg_dist_local_group", List.of("t"));
    assertThat(refusalOf(() -> check("{'distribution': 'id'}")))
        .hasMessageContaining("name the coordinator first");

    expectACitus("12.1-1");
    assertThat(refusalOf(() -> check("{'distribution': 'id', 'replication-factor': 3}")))
        .hasMessage("3 is more than the number of nodes that store shards: 2");
  }

  /** A coordinator that knows no node keeps the shards itself. */
  @Test
  void aCoordinatorAloneTakesOneOfEachShard() throws Exception {
    SchemaOptions one = options("{'distribution': 'id'}");
    expectNodes("0");
    new Citus("12.1-1").check(fake.connection().createStatement(), one);
    SchemaOptions two = options("{'distribution': 'id', 'replication-factor': 2}");
    expectNodes("0");
    assertThat(refusalOf(() -> new Citus("12.1-1").check(fake.connection().createStatement(), two)))
        .hasMessage("2 is more than the number of nodes that store shards: 1");
  }

  @ParameterizedTest
  @CsvSource({"found, ''", ", it's beside is not a distributed table of this database"})
  void theTableToLieBesideHasToBeThere(String found, String message) throws Exception {
    expectNodes("2");
    fake.expectRows(
        "SELECT logicalrelid::text FROM pg_dist_partition"
            + " WHERE logicalrelid = to_regclass('it''s beside')",
        found == null ? List.of() : List.of(List.of(found)));

    SchemaOptions asked = options("{'distribution': 'id', 'colocate-with': \"it's beside\"}");
    ConfigException e =
        refusalOf(() -> new Citus("12.1-1").check(fake.connection().createStatement(), asked));

    assertThat(e == null ? "" : e.getMessage()).isEqualTo(message);
    assertThat(e == null ? "schema.colocate-with" : e.key()).isEqualTo("schema.colocate-with");
    assertThat(fake.nothingLeft()).isTrue();
  }

  private void expectNodes(String number) {
    fake.expect("SELECT groupid <> 0 FROM pg_dist_local_group", List.of("f"))
        .expect(
            "SELECT count(*) FROM pg_dist_node"
                + " WHERE shouldhaveshards AND isactive AND noderole = 'primary'",
            List.of(number));
  }

  @ParameterizedTest
  @CsvSource({"found, it's beside", ", others"})
  void whetherTheTableLiesBesideTheOneThatIsNamedIsAsked(String found, String told)
      throws Exception {
    fake.expect(TABLE, List.of("id", "6", "12", "3"));
    String sql =
        "SELECT logicalrelid::text FROM pg_dist_partition"
            + " WHERE logicalrelid = to_regclass('it''s beside') AND colocationid = 3";
    fake.expectRows(sql, found == null ? List.of() : List.of(List.of(found)));

    SchemaOptions asked = options("{'distribution': 'id', 'colocate-with': \"it's beside\"}");
    assertThat(new Citus("12.1-1").options(fake.connection().createStatement(), asked))
        .isEqualTo(
            Map.of(
                "distribution", "id",
                "shard-count", "6",
                "replication-factor", "2",
                "colocate-with", told));
  }

  @Test
  void theCheckpointIsOfEveryNodeAndAFailureIsOneLine() throws Exception {
    String sql = "SELECT result FROM run_command_on_all_nodes('CHECKPOINT') WHERE NOT success";
    Statement statement = fake.connection().createStatement();
    fake.expect(sql);
    new Citus("12.1-1").checkpoint(statement);
    fake.expect(sql, List.of("ERROR: must be superuser"));
    ConfigException e = refusalOf(() -> new Citus("12.1-1").checkpoint(statement));
    assertThat(e.key()).isEqualTo("schema.checkpoint-after-load");
    assertThat(e).hasMessage("a node of Citus: ERROR: must be superuser");
    assertThat(fake.nothingLeft()).isTrue();
  }
}
