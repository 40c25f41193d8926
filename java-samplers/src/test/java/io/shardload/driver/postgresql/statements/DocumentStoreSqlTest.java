package io.shardload.driver.postgresql.statements;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.Golden;
import io.shardload.data.Draws;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.keys.Keys;
import io.shardload.keys.States;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Model;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.calls.StatementCall;
import io.shardload.workload.statements.parameters.Entity;
import io.shardload.workload.statements.port.SqlStatement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** document-store on PostgreSQL: rows, statements, tables and plans, in full. */
public class DocumentStoreSqlTest {
  /** Options of the tables, as the folder has them. */
  private static final List<Map<String, Object>> SCHEMAS =
      List.of(
          Map.of(),
          Map.of("index", "btree", "storage", "toast-uncompressed"),
          Map.of("storage", "no-toast"),
          Map.of("compression", "lz4"),
          Map.of("distribution", "id"),
          Map.of(
              "distribution",
              "filter1",
              "shard_count",
              32,
              "colocate_with",
              "none",
              "replication_factor",
              2),
          Map.of("distribution", "id", "colocate_with", "other.table"));

  private static final String ROWS =
      "SELECT count(*), md5(string_agg(concat_ws('|', id, filter1, filter2, filter3, filter4,"
          + " filter5, document, edition), ',' ORDER BY filter1)) FROM data_table";

  @Test
  void rows() {
    StringBuilder all = new StringBuilder();
    for (DocumentStoreData data : DocumentStoreData.ALL) {
      Entity entity = DocumentStoreFolder.entity(data.folder("postgresql"));
      int columns = entity.table().columns().size();
      all.append(
          data.text(
              (ordinal, edition) ->
                  IntStream.range(0, columns)
                      .mapToObj(column -> entity.value(column, ordinal, edition))
                      .toList()));
    }
    Golden.check("rows.txt", all.toString());
  }

  @Test
  void statements() {
    StringBuilder all = new StringBuilder();
    for (int arrival = 0; arrival < 25; arrival++) {
      all.append("arrival ").append(arrival).append('\n');
      all.append(statements(DocumentStoreData.CALLS.folder("postgresql"), arrival));
    }
    Golden.check("postgresql-statements.txt", all.toString());
  }

  /** The statements of an arrival, one of each transaction, with their values. */
  public static String statements(StatementsModel folder, int arrival) {
    StringBuilder statements = new StringBuilder();
    for (String name : DocumentStoreData.TRANSACTIONS) {
      Keys keys = Keys.alone(States.loaded(40), folder.ranks(), 40, 16);
      StatementCall call =
          (StatementCall) folder.transaction(name).prepare(new Draws().at(1, arrival), keys);
      SqlStatement sql = (SqlStatement) call.plan().statements().get(0);
      List<String> names = sql.names();
      String arguments =
          IntStream.range(0, names.size())
              .mapToObj(
                  i ->
                      (i + 1)
                          + " "
                          + call.arguments()[call.plan().arguments().indexOf(names.get(i))])
              .collect(Collectors.joining(", "));
      statements.append(name + "\n" + sql.with("?") + "\n" + arguments + "\n");
    }
    return statements.toString();
  }

  @Test
  void tables() {
    StringBuilder all = new StringBuilder();
    for (Map<String, Object> chosen : SCHEMAS) {
      List<String> statements =
          DocumentStoreFolder.schema(
                  chosen.containsKey("distribution") ? "citus" : "postgresql", chosen)
              .stream()
              .map(one -> ((SqlStatement) one).with("?"))
              .toList();
      all.append(schema(statements));
    }
    Golden.check("postgresql-tables.txt", all.toString());
  }

  /** As the file has them: comments and line breaks have no meaning. */
  public static String schema(List<String> statements) {
    return statements.stream()
            .map(one -> one.replaceAll("(?m)^--.*$", "").strip().replaceAll("\\s+", " "))
            .collect(Collectors.joining(";\n"))
        + ".\n";
  }

  @Test
  void plans() throws CallFailure {
    DocumentStoreData data = new DocumentStoreData(1, 4000, 100, 2048, 2.0, 10);
    Database database = TestDatabases.fresh();
    try (Target target = database.open("{}")) {
      Golden.check("postgresql-plans.txt", plans(database, target, data.folder("postgresql")));
    }
  }

  /** Without an index of its own, filter5 is picked out of all documents of the tenant. */
  @Test
  void aDroppedIndexShowsAsAScanOfTheTenant() throws CallFailure {
    Model<?> model = new DocumentStoreData(1, 4000, 100, 2048, 2.0, 10).folder("postgresql");
    Database database = TestDatabases.fresh();
    try (Target target = database.open("{}")) {
      plans(database, target, model);
      database.execute("DROP INDEX data_table_filter5");
      String name = "find-by-id-and-filter5";
      assertThat(model.plans(target, List.of(name)).get(name))
          .containsEntry("access", "tenant-scan")
          .containsEntry("documents_per_tenant", 40L);
    }
  }

  /** What the report shows, after a load, and the types of the nodes of each plan. */
  public static String plans(Database database, Target target, Model<?> model) throws CallFailure {
    model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD);
    model.load(target, 0, 4000, done -> {});
    database.execute("VACUUM ANALYZE data_table");
    StringBuilder all = new StringBuilder(database.ask(ROWS) + "\n");
    model
        .plans(target, DocumentStoreData.TRANSACTIONS)
        .forEach(
            (name, plan) -> {
              Map<String, Object> shown = new LinkedHashMap<>(plan);
              String text = (String) shown.remove("text");
              all.append(name + " " + shown + "\n");
              for (String line : text.split("\n", -1)) {
                if (line.matches(".*\"(Node Type|Index Name|Index Cond|Filter|Recheck Cond)\".*")) {
                  // A text is declared as varchar or as text: the server compares texts.
                  String one = line.replaceAll("'[^']*'(::[a-z ]+)?", "?");
                  all.append(one.replaceAll("\\((\\$\\d+)\\)::text", "$1").stripTrailing());
                  all.append('\n');
                }
              }
            });
    return all.toString();
  }
}
