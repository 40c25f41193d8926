package io.shardload.driver.jdbc.statements;

import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.SqlStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A schema or database of its own, in which a check makes tables that no other session uses. */
public interface Trial {
  /** Why a statement may not be in the file of a schema; empty if it may. */
  Optional<String> refusal(SqlStatement statement);

  /**
   * Makes the place. Names without one are then looked up there first.
   *
   * @param qualified tables with a place of their own, which the schema will create
   */
  void enter(List<String> qualified) throws SQLException, CallFailure;

  /** The names of the tables in it. */
  Set<String> made() throws SQLException;

  /**
   * A problem of a statement that the server has just parsed, because it uses tables that are not
   * in this place; empty if there is none.
   */
  default Optional<String> problem(SqlStatement statement) throws SQLException {
    return Optional.empty();
  }

  /** Drops the place, if there is one, and ends the transaction. */
  void leave() throws SQLException;
}
