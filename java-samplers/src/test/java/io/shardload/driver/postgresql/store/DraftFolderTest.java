package io.shardload.driver.postgresql.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.Golden;
import io.shardload.config.Options;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.driver.TestMongo;
import io.shardload.driver.mongodb.statements.DocumentStoreCommandsTest;
import io.shardload.driver.postgresql.statements.DocumentStoreSqlTest;
import io.shardload.topology.Division;
import io.shardload.topology.ShardShare;
import io.shardload.workload.Ports;
import io.shardload.workload.ShardShares;
import io.shardload.workload.documentstore.DocumentStoreModel;
import io.shardload.workload.documentstore.DocumentStoreWorkload;
import io.shardload.workload.documentstore.Documents;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStoreEvidence;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.DraftFolder;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.parameters.Entity;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.TableRows;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The draft of document-store as a folder is the built-in workload: rows, statements, schema. */
class DraftFolderTest {
  private static final Session SESSION = new Session("test", 2, Duration.ofSeconds(5));
  private static final String NUMBERS = "seed, documents, tenants, size, compressibility, rows";

  /**
   * Both workloads with the same data.
   *
   * @param rows that a find returns on average
   */
  private record Data(
      long seed, long documents, int tenants, int size, double compressibility, int rows) {
    DocumentStoreModel builtIn() {
      JsonObject data = new JsonObject();
      data.addProperty("documents", documents);
      data.addProperty("tenants", tenants);
      data.addProperty("document-size", size == 0 ? "variable" : size + "B");
      data.addProperty("compressibility", compressibility);
      data.addProperty("rows-per-find", rows);
      return (DocumentStoreModel)
          new DocumentStoreWorkload().model(seed, new Options("workload.data", data));
    }

    StatementsModel folder() {
      Map<String, Object> chosen = new LinkedHashMap<>();
      chosen.put("tenants", tenants);
      chosen.put("document_size", size == 0 ? (Object) "variable" : size);
      chosen.put("compressibility", compressibility);
      chosen.put("rows_per_find", rows);
      return DraftFolder.model("postgresql", seed, documents, chosen);
    }
  }

  private static List<Object> values(Document row) {
    return List.of(
        row.id(),
        row.filter1(),
        row.filter2(),
        row.filter3(),
        row.filter4(),
        row.filter5(),
        row.document(),
        row.edition());
  }

  /** Mutations: a stream has another number; the pairs have as many values as the singles. */
  @ParameterizedTest(name = NUMBERS + ": {0}")
  @CsvSource({
    "1, 100000, 1000, 2048, 2.0, 10",
    "7, 40, 2, 8, 1.3, 5",
    "9000000000000000000, 5000, 7, 333, 4.0, 9",
    "3, 500, 500, 16384, 3.5, 100",
    "5, 400, 10, 0, 2.0, 10"
  })
  void rowsAreTheDocuments(
      long seed, long documents, int tenants, int size, double compressibility, int rows) {
    Data data = new Data(seed, documents, tenants, size, compressibility, rows);
    DocumentStoreModel builtIn = data.builtIn();
    StatementsModel folder = data.folder();
    Entity entity = DraftFolder.entity(folder);
    TableRows table = DraftFolder.rows(folder);
    assertThat(String.join(", ", table.columns())).isEqualTo(CopyFormat.COLUMNS);
    assertThat(folder.documents()).isEqualTo(builtIn.documents());
    assertThat(folder.bytesPerDocument()).isEqualTo(builtIn.bytesPerDocument());
    // Loaded ones, and some that calls insert.
    for (long ordinal = 0; ordinal < documents + 20; ordinal += 1 + documents / 40) {
      assertThat(table.row(ordinal))
          .containsExactly(values(builtIn.content().at(ordinal, 0)).toArray());
      for (int edition : new int[] {1, 2, 999}) {
        List<Object> edited = values(builtIn.content().at(ordinal, edition));
        for (int column = 0; column < edited.size(); column++) {
          assertThat(entity.value(column, ordinal, edition)).isEqualTo(edited.get(column));
        }
      }
      assertThat(entity.rowOf(builtIn.content().at(ordinal, 0).filter1())).isEqualTo(ordinal);
    }
  }

  /**
   * The same arrival has the same statement with the same values. Mutation: the sample of a read is
   * drawn before its values.
   */
  @Test
  void arrivalsAreTheStatements() throws Exception {
    Data data = new Data(1, 40, 2, 8, 2.0, 5);
    PostgresqlSqlTest builtIn = new PostgresqlSqlTest();
    for (int arrival = 0; arrival < 100; arrival++) {
      assertThat(DocumentStoreSqlTest.statements(data.folder(), arrival))
          .isEqualTo(builtIn.untyped(data.builtIn(), arrival));
    }
  }

  private static DocumentStoreModel builtIn(DocumentStoreData data) {
    return new Data(
            data.seed(),
            data.documents(),
            data.tenants(),
            data.size(),
            data.compressibility(),
            data.rows())
        .builtIn();
  }

  /** The files of {@code DocumentStoreSqlTest} and {@code DocumentStoreCommandsTest}. */
  @Test
  void theGoldenFilesAreThoseOfTheBuiltInWorkload() throws Exception {
    StringBuilder rows = new StringBuilder();
    for (DocumentStoreData data : DocumentStoreData.ALL) {
      Documents content = builtIn(data).content();
      rows.append(data.text((ordinal, edition) -> values(content.at(ordinal, edition))));
    }
    Golden.check("rows.txt", rows.toString());
    StringBuilder statements = new StringBuilder();
    PostgresqlSqlTest builtIn = new PostgresqlSqlTest();
    for (int arrival = 0; arrival < 25; arrival++) {
      statements.append("arrival ").append(arrival).append('\n');
      statements.append(builtIn.untyped(builtIn(DocumentStoreData.CALLS), arrival));
    }
    Golden.check("postgresql-statements.txt", statements.toString());
    DocumentStoreData planned = new DocumentStoreData(1, 4000, 100, 2048, 2.0, 10);
    Database database = TestDatabases.fresh();
    try (Target target = database.open("{}")) {
      String plans = DocumentStoreSqlTest.plans(database, target, builtIn(planned));
      Golden.check("postgresql-plans.txt", plans);
    }
    DocumentStoreData documents = new DocumentStoreData(1, 40, 2, 300, 2.0, 5);
    try (Target target =
        TestMongo.ferretdb()
            .open(TestMongo.ferretdb().config("{}", "{'index': 'ascending'}"), SESSION)) {
      Golden.check(
          "ferretdb-plans.txt", DocumentStoreCommandsTest.plans(target, builtIn(documents)));
    }
  }

  /** Shards by the first digit of the id; mutation: the folder's groups are those of a column. */
  @Test
  @SuppressWarnings("unchecked")
  void sharesOfShardsAreThoseOfTheBuiltInWorkload() throws Exception {
    ShardShares.Shards shards =
        new ShardShares.Shards() {
          @Override
          public Map<String, BitSet> of(List<UUID> ids) {
            Map<String, BitSet> all = new TreeMap<>();
            for (int i = 0; i < ids.size(); i++) {
              all.computeIfAbsent(ids.get(i).toString().substring(0, 1), key -> new BitSet())
                  .set(i);
            }
            return all;
          }

          @Override
          public Optional<Division> division() {
            return Optional.empty();
          }
        };
    StatementAdmin admin =
        (StatementAdmin)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {StatementAdmin.class},
                (proxy, method, given) -> {
                  assertThat(given).containsExactly("data_table", "id");
                  return shards;
                });
    DocumentStoreEvidence evidence =
        (DocumentStoreEvidence)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DocumentStoreEvidence.class},
                (proxy, method, given) ->
                    method.getName().equals("of")
                        ? shards.of((List<UUID>) given[0])
                        : shards.division());
    Ports ports =
        new Ports() {
          @Override
          public <P> P port(Class<P> type) {
            return type.cast(type == StatementAdmin.class ? admin : evidence);
          }
        };
    DocumentStoreData data = new DocumentStoreData(1, 5003, 77, 100, 2.0, 10);
    List<ShardShare> shares = data.folder("postgresql").placement(ports, 3);
    assertThat(shares).hasSize(16).isEqualTo(builtIn(data).placement(ports, 3));
  }

  @Test
  void theSchemaIsThatOfTheBuiltInWorkload() throws IOException {
    Path schemas = Path.of("../schemas/document-store");
    Path own = DraftFolder.PATH.resolve("schema");
    assertThat(own.resolve("postgresql.sql"))
        .hasSameTextualContentAs(schemas.resolve("postgresql.sql"));
    for (String column : List.of("id", "filter1")) {
      assertThat(own.resolve("distribution=" + column + "/citus.sql"))
          .hasSameTextualContentAs(schemas.resolve("citus.sql"));
    }
    assertThat(Files.exists(own.resolve("citus.sql"))).isFalse();
  }

  @Test
  void optionsStandWhereTheVariablesOfPsqlDo() {
    Map<String, ?> chosen =
        Map.of(
            "storage",
            "toast-uncompressed",
            "compression",
            "lz4",
            "index",
            "btree",
            "distribution",
            "id",
            "shard_count",
            32,
            "colocate_with",
            "other.table",
            "replication_factor",
            2);
    List<String> statements =
        DraftFolder.schema("citus", chosen).stream()
            .map(one -> ((SqlStatement) one).with("?").replaceAll("\\s+", " "))
            .toList();
    assertThat(statements)
        .contains(
            "ALTER TABLE data_table ALTER document SET STORAGE EXTERNAL",
            "ALTER TABLE data_table ALTER document SET COMPRESSION lz4",
            "CREATE INDEX IF NOT EXISTS data_table_filter1 ON data_table USING btree (filter1)")
        .endsWith(
            "SELECT set_config('citus.shard_replication_factor', '2', true)",
            "SELECT create_distributed_table('data_table', 'id', colocate_with := 'other.table',"
                + " shard_count := 32)");
    assertThat(DraftFolder.schema("postgresql", Map.of())).hasSize(8);
  }
}
