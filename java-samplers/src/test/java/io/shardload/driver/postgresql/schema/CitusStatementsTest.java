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

/**
 * The exact statements that Citus gets, in order, without a Citus.
 *
 * <p>Mutations that turned it red: distribution before SET STORAGE; the resume left out; no commit,
 * or one before the distribution; the check of what is there left out; either bound of the version;
 * a worker not told from a coordinator; no quoting of a table's name; CHECKPOINT on one node.
 */
class CitusStatementsTest {
  private static final String COLUMNS =
      "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute"
          + " WHERE attrelid = to_regclass('data_table') AND attnum > 0 AND NOT attisdropped"
          + " ORDER BY attnum";
  private static final String TABLE =
      "SELECT column_to_column_name(logicalrelid, partkey), count(DISTINCT shardid), count(*),"
          + " colocationid FROM pg_dist_partition JOIN pg_dist_shard USING (logicalrelid)"
          + " JOIN pg_dist_placement USING (shardid) WHERE logicalrelid = 'data_table'::regclass"
          + " GROUP BY logicalrelid, partkey, colocationid";

  private static final List<List<String>> OUR_COLUMNS =
      List.of(
          List.of("id", "uuid"),
          List.of("filter1", "character varying(128)"),
          List.of("filter2", "character varying(128)"),
          List.of("filter3", "bigint"),
          List.of("filter4", "character varying(256)"),
          List.of("filter5", "character varying(256)"),
          List.of("document", "text"),
          List.of("edition", "integer"),
          List.of("created", "timestamp without time zone"),
          List.of("updated", "timestamp without time zone"));

  private final FakeConnection fake = new FakeConnection();

  private static TableSchema schema(String options) {
    return new TableSchema(options(options));
  }

  private static SchemaOptions options(String json) {
    return SchemaOptions.read(
        new Options("schema", JsonParser.parseString(json).getAsJsonObject()));
  }

  private void expectACitus(String version) {
    fake.expect("SELECT extversion FROM pg_extension WHERE extname = 'citus'", List.of(version))
        .expect("SELECT groupid <> 0 FROM pg_dist_local_group", List.of("f"))
        .expect(
            "SELECT count(*) FROM pg_dist_node"
                + " WHERE shouldhaveshards AND isactive AND noderole = 'primary'",
            List.of("2"));
  }

  private void expectCreation(String storage, String index, String distribute) {
    fake.expect(
            "CREATE TABLE IF NOT EXISTS data_table ( id uuid NOT NULL,"
                + " filter1 varchar(128) NOT NULL, filter2 varchar(128), filter3 bigint,"
                + " filter4 varchar(256), filter5 varchar(256), document text, edition int,"
                + " created timestamp NOT NULL DEFAULT now(),"
                + " updated timestamp NOT NULL DEFAULT now(), PRIMARY KEY (id, filter1) )")
        .expect("ALTER TABLE data_table ALTER document SET STORAGE " + storage)
        .expect("ALTER TABLE data_table ALTER document SET COMPRESSION DEFAULT");
    for (String column : List.of("filter1", "filter4", "filter5")) {
      fake.expect(
          "CREATE INDEX IF NOT EXISTS data_table_%s ON data_table USING %s (%s)"
              .formatted(column, index, column));
    }
    fake.expect("CREATE INDEX IF NOT EXISTS data_table_id_filter2 ON data_table (id, filter2)")
        .expect("CREATE INDEX IF NOT EXISTS data_table_id_filter3 ON data_table (id, filter3)")
        .expect("SELECT set_config('citus.shard_replication_factor', '2', true)")
        .expect(distribute);
  }

  private void expectChecks(String storage, String index, String column, String shards) {
    fake.expect(
            "SELECT attstorage, attcompression FROM pg_attribute"
                + " WHERE attrelid = 'data_table'::regclass AND attname = 'document'",
            List.of(storage, ""))
        .expect(
            "SELECT string_agg(DISTINCT coalesce(amname, 'missing'), ' and ')"
                + " FROM unnest(ARRAY['filter1', 'filter4', 'filter5']) AS suffix"
                + " LEFT JOIN pg_class ON pg_class.oid = to_regclass('data_table_' || suffix)"
                + " LEFT JOIN pg_am ON pg_am.oid = relam",
            List.of(index))
        .expect(TABLE, List.of(column, shards, "" + 2 * Integer.parseInt(shards), "1"));
  }

  @Test
  void everythingIsSetBeforeTheTableIsDistributed() throws Exception {
    expectACitus("12.1-1");
    fake.expect(COLUMNS);
    expectCreation(
        "EXTERNAL",
        "btree",
        "SELECT create_distributed_table('data_table', 'filter1', colocate_with := 'none',"
            + " shard_count := 16)");
    expectChecks("e", "btree", "filter1", "16");

    boolean created =
        schema(
                "{'distribution': 'filter1', 'shard-count': 16, 'colocate-with': 'none',"
                    + " 'replication-factor': 2, 'index': 'btree',"
                    + " 'document-storage': 'toast-uncompressed'}")
            .ensure(fake.connection(), false);

    assertThat(created).isTrue();
    assertThat(fake.nothingLeft()).isTrue();
  }

  @Test
  void anEmptyTableThatWasNeverDistributedIsTakenUp() throws Exception {
    expectACitus("11.3-1");
    fake.expectRows(COLUMNS, OUR_COLUMNS)
        .expect(TABLE)
        .expect("SELECT EXISTS (SELECT 1 FROM data_table)", List.of("f"));
    expectCreation(
        "EXTENDED",
        "hash",
        "SELECT create_distributed_table('data_table', 'id', colocate_with := 'default',"
            + " shard_count := NULL)");
    expectChecks("x", "hash", "id", "32");

    assertThat(
            schema("{'distribution': 'id', 'replication-factor': 2}")
                .ensure(fake.connection(), false))
        .isTrue();
    assertThat(fake.nothingLeft()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "e, hash, id, 32, 'schema.document-storage', 'document-storage: toast-uncompressed, not'",
    "x, hash, filter1, 32, 'schema.distribution', 'distribution: filter1, not id'",
    "x, hash, id, 8, 'schema.shard-count', 'shard-count: 8, not 32'"
  })
  void aDistributedTableWithOtherOptionsIsRefused(
      String storage, String index, String column, String shards, String key, String message) {
    expectACitus("13.0-1");
    fake.expectRows(COLUMNS, OUR_COLUMNS).expect(TABLE, List.of(column, shards, shards, "1"));
    expectChecks(storage, index, column, shards);

    ConfigException e =
        refusalOf(
            () ->
                schema("{'distribution': 'id', 'replication-factor': 2, 'shard-count': 32}")
                    .ensure(fake.connection(), false));

    assertThat(e.key()).isEqualTo(key);
    assertThat(e).hasMessageContaining(message);
    assertThat(e.advice().toString()).endsWith(": load --recreate]");
    assertThat(fake.nothingLeft()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"10.2-4, Citus 10.2-4 is not supported", "14.0-1, Citus 14.0-1 is not supported"})
  void anUnsupportedCitusIsRefusedBeforeAnythingIsMade(String version, String message) {
    fake.expect("SELECT extversion FROM pg_extension WHERE extname = 'citus'", List.of(version));

    ConfigException e =
        refusalOf(() -> schema("{'distribution': 'id'}").ensure(fake.connection(), true));

    assertThat(e).hasMessageContaining(message);
  }

  @Test
  void aWorkerAndTooFewNodesAreRefusedBeforeAnythingIsMade() {
    fake.expect("SELECT extversion FROM pg_extension WHERE extname = 'citus'", List.of("12.1-1"))
        .expect("SELECT groupid <> 0 FROM pg_dist_local_group", List.of("t"));
    assertThat(refusalOf(() -> schema("{'distribution': 'id'}").ensure(fake.connection(), true)))
        .hasMessageContaining("name the coordinator first");

    expectACitus("12.1-1");
    assertThat(
            refusalOf(
                () ->
                    schema("{'distribution': 'id', 'replication-factor': 3}")
                        .ensure(fake.connection(), true)))
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
  void theNameOfATableIsQuotedInTheStatement() {
    SchemaOptions asked = options("{'distribution': 'id', 'colocate-with': \"it's beside\"}");
    assertThat(SqlFile.statements("citus.sql", asked.variables()).get(1))
        .contains("colocate_with := 'it''s beside'");
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
