package io.shardload.driver.postgresql.statements.draft;

import static io.shardload.driver.postgresql.statements.draft.Values.map;

import com.google.gson.JsonObject;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.statements.draft.Tables.Column;
import io.shardload.driver.postgresql.statements.draft.Tables.Table;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.port.FolderDraft;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Reads with the statement timeout of the session, and samples for {@link #MOST} at the most.
 *
 * @param nanos the clock
 */
public record PostgresqlFolderDraft(Connections connections, LongSupplier nanos)
    implements FolderDraft {
  private static final Duration MOST = Duration.ofMinutes(2);

  @Override
  public Draft draft(Progress progress) throws CallFailure {
    return connections.use(connections.administrative(), statement -> draft(statement, progress));
  }

  private Draft draft(Statement statement, Progress progress) throws SQLException {
    statement.getConnection().setReadOnly(true);
    statement.setEscapeProcessing(false);
    statement.setQueryTimeout(connections.cancelAfterSeconds());
    Catalog catalog = new Catalog(statement, Queries.text(statement, "SELECT current_user"));
    Collection<Table> tables = catalog.tables.values();
    sample(new Sample(statement), tables, progress);
    Keys keys = new Keys(tables);
    Calls calls = new Calls(keys.ordered);
    Map<String, String> files = new LinkedHashMap<>();
    files.put("schema/postgresql.sql", SchemaText.of(catalog, keys));
    files.putAll(calls.files);
    List<String> edits = new ArrayList<>(catalog.edits);
    keys.ordered.forEach(table -> edits.addAll(table.edits));
    JsonObject data = new JsonObject();
    keys.ordered.forEach(table -> data.add(table.name, entry(table, calls)));
    JsonObject workload = new JsonObject();
    workload.add("tables", data);
    workload.add("parameters", calls.parameters);
    workload.add("transactions", calls.transactions);
    workload.add("mix", calls.mix());
    return new Draft(workload, files, edits);
  }

  private void sample(Sample sample, Collection<Table> tables, Progress progress)
      throws SQLException {
    long end = nanos.getAsLong() + MOST.toNanos();
    int done = 0;
    for (Table table : tables) {
      if (nanos.getAsLong() < end) {
        sample.take(table);
      } else {
        table.rows = Math.max(0, table.estimate);
        table.edit(
            "not sampled, because the tables before it took %s s".formatted(MOST.toSeconds()));
      }
      progress.step("tables", ++done, tables.size(), "tables");
    }
  }

  private static JsonObject entry(Table table, Calls calls) {
    JsonObject entry = map("rows: %d".formatted(table.rows));
    if (calls.entity.filter(table::equals).isPresent()) {
      entry.add("entity", calls.entity(table));
    }
    JsonObject columns = new JsonObject();
    for (Column column : table.columns.values()) {
      columns.add(column.name, column.values);
    }
    entry.add("columns", columns);
    return entry;
  }
}
