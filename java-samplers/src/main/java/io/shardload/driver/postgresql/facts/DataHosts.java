package io.shardload.driver.postgresql.facts;

import io.shardload.driver.DataHost;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.schema.Citus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The hosts on which the rows lie: the nodes of Citus that take shards, or the server itself, which
 * names its own address also to a client behind a pgbouncer on another machine. The id of the
 * kernel's boot is only there for a user who may execute {@code pg_read_file} on any file.
 */
public final class DataHosts {
  static final String BOOT = "SELECT pg_read_file('/proc/sys/kernel/random/boot_id', 0, 99, true)";
  static final String ADDRESS = "SELECT coalesce(host(inet_server_addr()), '')";
  static final String NODES =
      """
      SELECT nodename, CASE WHEN success THEN result ELSE '' END
      FROM run_command_on_all_nodes($shardload$ %s $shardload$) JOIN pg_dist_node USING (nodeid)
      WHERE shouldhaveshards ORDER BY nodename, nodeport
      """
          .formatted(BOOT);

  private static final Pattern NOT_REPORTED = Pattern.compile("(0A|22|42|58).{3}");

  private DataHosts() {}

  /** Empty if the server cannot name its address. */
  public static List<DataHost> read(Statement statement) throws SQLException {
    List<DataHost> nodes = new ArrayList<>();
    if (Citus.of(statement).installed()) {
      try (ResultSet rows = statement.executeQuery(NODES)) {
        while (rows.next()) {
          nodes.add(new DataHost(rows.getString(1), bootId(rows.getString(2))));
        }
      }
    }
    if (!nodes.isEmpty()) {
      return List.copyOf(nodes);
    }
    try {
      String address = Queries.text(statement, ADDRESS);
      return List.of(new DataHost(address, own(statement)));
    } catch (SQLException e) {
      return ifNotReported(e, List.of());
    }
  }

  private static String own(Statement statement) throws SQLException {
    try {
      return bootId(Queries.text(statement, BOOT));
    } catch (SQLException e) {
      return ifNotReported(e, "");
    }
  }

  private static String bootId(String text) {
    return text == null ? "" : text.strip();
  }

  private static <T> T ifNotReported(SQLException refusal, T otherwise) throws SQLException {
    if (isNotReported(refusal)) {
      return otherwise;
    }
    throw refusal;
  }

  /** Whether the user may not ask, or a server that only speaks the protocol does not know. */
  static boolean isNotReported(SQLException refusal) {
    return refusal.getSQLState() != null && NOT_REPORTED.matcher(refusal.getSQLState()).matches();
  }
}
