package io.shardload.driver.postgresql.monitoring;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.monitoring.Role;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Which server answers.
 *
 * @param major version of PostgreSQL
 * @param version as the server says it, without the name of a distributor's package
 */
record Identity(int major, String version, Role role) {
  /** An expression for one JSON text, like those of the parts. */
  static final String EXPRESSION =
      """
      json_build_object('number', current_setting('server_version_num')::int,
        'version', split_part(current_setting('server_version'), ' ', 1),
        'recovery', pg_is_in_recovery())
      """;

  private static final String IS_WORKER = "SELECT groupid <> 0 FROM pg_dist_local_group";
  private static final String HAS_WORKERS =
      "SELECT count(*) > 0 FROM pg_dist_node WHERE groupid <> 0";
  private static final int MAJOR = 10_000;

  static Identity read(Statement statement) throws SQLException {
    String text = Queries.text(statement, "SELECT " + EXPRESSION.strip());
    return parse(JsonParser.parseString(text).getAsJsonObject(), inCluster(statement));
  }

  /**
   * @param inCluster the role if it is not a replica
   */
  static Identity parse(JsonObject answer, Role inCluster) {
    return new Identity(
        answer.get("number").getAsInt() / MAJOR,
        answer.get("version").getAsString(),
        answer.get("recovery").getAsBoolean() ? Role.REPLICA : inCluster);
  }

  private static Role inCluster(Statement statement) throws SQLException {
    if (!Citus.of(statement).installed()) {
      return Role.PRIMARY;
    }
    if (Queries.text(statement, IS_WORKER).equals("t")) {
      return Role.WORKER;
    }
    return Queries.text(statement, HAS_WORKERS).equals("t") ? Role.COORDINATOR : Role.PRIMARY;
  }
}
