package io.shardload.driver.mariadb;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.jdbc.client.SqlConnections;
import io.shardload.driver.jdbc.statements.PlansOfCall;
import io.shardload.driver.jdbc.statements.RowInserts;
import io.shardload.driver.jdbc.statements.RowLoad;
import io.shardload.driver.jdbc.statements.ServerTable;
import io.shardload.driver.jdbc.statements.SqlStatementAdmin;
import io.shardload.driver.jdbc.statements.types.Described;
import io.shardload.driver.jdbc.store.SqlDataSets;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.Grouping;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.QueryPlan;
import io.shardload.workload.statements.port.QueryPlan.Access;
import io.shardload.workload.statements.port.QueryPlan.Kind;
import io.shardload.workload.statements.port.QueryPlan.Scan;
import io.shardload.workload.statements.port.Storage;
import io.shardload.workload.statements.port.TableRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/** Adds the load in batches, and what the server reports of plans and sizes. */
final class MariadbStatementAdmin extends SqlStatementAdmin {
  /** Estimates, which ANALYZE TABLE renews. Rows are in the primary key. */
  private static final String SIZES =
      """
      SELECT coalesce(concat(max(table_rows), ' ', max(data_length), ' ', max(index_length)), '0 0 0')
      FROM information_schema.tables WHERE table_schema = database() AND table_name = ?
      """;

  MariadbStatementAdmin(SqlConnections connections, SqlDataSets dataSets) {
    super(connections, new MariadbDialect(), dataSets, "ANALYZE TABLE ");
  }

  /** {@inheritDoc} LOAD DATA is no faster, and skips or changes what INSERT refuses. */
  @Override
  protected RowLoad.Writer writer(ServerTable table, TableRows rows, boolean isContinued) {
    return new RowInserts(table, rows);
  }

  /** Rows, bytes of them and bytes of secondary indexes; 0 if it has none, as a view. */
  private static long[] sizes(Connection connection, String table) throws SQLException {
    String numbers = Queries.texts(connection, SIZES, table).get(0);
    return Stream.of(numbers.split(" ")).mapToLong(Long::parseLong).toArray();
  }

  @Override
  protected PlansOfCall.Server plans(
      Connection connection, Plan plan, Optional<Grouping> grouping) {
    return new Explainer(connection);
  }

  @Override
  public Map<String, Object> storage(List<String> tables) throws CallFailure {
    Map<String, Storage> all = new LinkedHashMap<>();
    return use(
        connections().administrative(),
        (connection, statement) -> {
          for (String table : present(tables)) {
            long[] sizes = sizes(connection, table);
            var at = new Storage.Placement(table, "the server", sizes[0], sizes[1]);
            Map<String, Long> indexes = Map.of("secondary indexes of " + table, sizes[2]);
            all.put(table, new Storage(sizes[1], indexes, List.of(at), Map.of()));
          }
          return Storage.sum(all);
        });
  }

  /** The server's plans for the statements of a call: it plans each call for its values. */
  private record Explainer(Connection connection) implements PlansOfCall.Server {
    /** They hold values. */
    private static final Set<String> LEFT_OUT = Set.of("attached_condition", "index_condition");

    @Override
    public long rows(String table) throws SQLException {
      return sizes(connection, table)[0];
    }

    @Override
    public QueryPlan plan(Described described, Object[] values) throws SQLException {
      String text = PlansOfCall.text(connection, "EXPLAIN FORMAT=JSON ", described, values);
      JsonElement json = JsonParser.parseString(text);
      boolean insert = described.statement().verb().equals("insert");
      List<JsonObject> tables = new ArrayList<>();
      look(json, insert ? new ArrayList<>() : tables);
      Set<String> indexes = new LinkedHashSet<>();
      List<Scan> scans = new ArrayList<>();
      long rows = 0;
      for (JsonObject table : tables) {
        String type = table.get("access_type").getAsString();
        rows = Math.max(rows, table.has("rows") ? table.get("rows").getAsLong() : 0);
        if (type.equals("ALL") || (type.equals("index") && !table.has("limit"))) {
          scans.add(new Scan(name(table, described.jdbc()), 1, Long.MAX_VALUE));
        } else if (table.has("key")) {
          indexes.add(table.get("key").getAsString());
        }
      }
      Access found = indexes.isEmpty() ? Access.UNKNOWN : Access.INDEX;
      return new QueryPlan(
          tables.isEmpty() ? Access.NONE : scans.isEmpty() ? found : Access.FULL_SCAN,
          List.copyOf(indexes),
          "not sharded",
          Kind.CUSTOM,
          tables.isEmpty() ? OptionalLong.empty() : OptionalLong.of(rows),
          scans,
          json.toString());
    }

    /** Finds the tables that are read; a derived table has those that it reads below it. */
    private static void look(JsonElement element, List<JsonObject> tables) {
      if (element instanceof JsonArray list) {
        list.forEach(one -> look(one, tables));
      } else if (element instanceof JsonObject object) {
        LEFT_OUT.forEach(object::remove);
        if (object.has("access_type") && !object.get("table_name").getAsString().startsWith("<")) {
          tables.add(object);
        }
        object.asMap().values().forEach(one -> look(one, tables));
      }
    }

    /** A plan has the name that the statement gives a table. */
    private static String name(JsonObject table, String sql) {
      String name = table.get("table_name").getAsString();
      String named = "(?is).*\\b(from|join)\\s+`?(\\w+)`?\\s+(as\\s+)?`?\\Q" + name + "\\E\\b.*";
      return sql.matches(named) ? sql.replaceFirst(named, "$2") : name;
    }
  }
}
