package io.shardload.driver.postgresql.facts;

import io.shardload.driver.postgresql.schema.Citus;
import java.net.SocketTimeoutException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.util.PSQLState;

/** The workers of Citus that its coordinator cannot reach. */
public final class LostWorkers {
  /**
   * A machine that is switched off does not refuse connections, so the coordinator would wait 30 s
   * for it. The limit applies only to this statement. The query depends on the limit, so the limit
   * is set first.
   */
  private static final String LOST =
      """
      SELECT nodename || ':' || nodeport, result
      FROM set_config('citus.node_connection_timeout', '1000', true) AS longest(wait),
        run_command_on_workers('SELECT ' || quote_literal(longest.wait))
      WHERE NOT success ORDER BY 1
      """;

  private LostWorkers() {}

  /** One clause for all of them; empty if every worker answers, or there is no Citus. */
  public static String of(Statement statement) throws SQLException {
    if (!Citus.of(statement).installed()) {
      return "";
    }
    List<String> names = new ArrayList<>();
    String why = "";
    try (ResultSet rows = statement.executeQuery(LOST)) {
      while (rows.next()) {
        names.add(rows.getString(1));
        why = why.isEmpty() ? rows.getString(2).strip().replaceAll("\\s*\n\\s*", "; ") : why;
      }
    } catch (SQLException e) {
      // A worker that took the connection and hangs.
      if (e.getCause() instanceof SocketTimeoutException
          || PSQLState.QUERY_CANCELED.getState().equals(e.getSQLState())) {
        return "a Citus worker does not answer in time";
      }
      throw e;
    }
    if (names.isEmpty()) {
      return "";
    }
    String who =
        names.size() == 1
            ? "the Citus worker " + names.get(0) + " does not answer"
            : "%d Citus workers do not answer, %s"
                .formatted(names.size(), String.join(", ", names));
    return who + ": " + why;
  }
}
