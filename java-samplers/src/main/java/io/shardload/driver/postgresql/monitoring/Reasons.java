package io.shardload.driver.postgresql.monitoring;

import io.shardload.driver.postgresql.client.Failures;
import java.sql.SQLException;

/** Why a part is left out, in words. */
final class Reasons {
  static final String SESSIONS =
      "the role cannot see sessions of other roles: GRANT pg_monitor TO the role";

  /** Before what was found in the answer. */
  static final String OTHER_FORM = "the answer has an unexpected form: ";

  private static final String CANCELLED = "57014";

  private Reasons() {}

  static String version(Identity identity) {
    return "PostgreSQL " + identity.major() + " does not have it";
  }

  static String of(SQLException e) {
    return CANCELLED.equals(e.getSQLState())
        ? "takes longer than " + MonitoredServer.STATEMENT_TIMEOUT.toMillis() + " ms"
        : Failures.firstLine(e);
  }

  /** Whether the server is away, and not only this statement refused. */
  static boolean connectionLost(SQLException e) {
    return Failures.ofStatement(e).kind().equals("connection-lost");
  }
}
