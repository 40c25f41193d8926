package io.shardload.driver.postgresql.statements;

import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.jdbc.client.Refusals;
import io.shardload.driver.jdbc.statements.Trial;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.workload.statements.port.SqlStatement;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/** A schema that is made in a transaction, and rolled back. */
final class TrialSchema implements Trial {
  /** Would end the transaction, leave its schema, or need what the client does not send. */
  private static final Set<String> REFUSED =
      Set.of(
          "begin",
          "start",
          "commit",
          "end",
          "rollback",
          "abort",
          "savepoint",
          "release",
          "prepare",
          "copy");

  private static final Pattern SEARCH_PATH = Pattern.compile("(?i)\\bsearch_path\\b");
  private static final String MADE =
      """
      SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname = ? AND relkind IN ('r', 'p', 'f') AND NOT relispartition ORDER BY 1
      """;

  private final Connection connection;
  private final Statement statement;
  private final String name = "shardload_check_" + UUID.randomUUID().toString().replace("-", "");

  /** Since the schema's tables have been made. */
  private OtherTables others;

  TrialSchema(Connection connection, Statement statement) {
    this.connection = connection;
    this.statement = statement;
  }

  @Override
  public Optional<String> refusal(SqlStatement one) {
    if (REFUSED.contains(one.verb())) {
      return Optional.of(
          one.verb()
              + " is not allowed in a schema, because the schema is created in one transaction");
    }
    return SEARCH_PATH.matcher(one.with("")).find()
        ? Optional.of(
            one.verb()
                + " of search_path is not allowed in a schema: the run uses another search_path")
        : Optional.empty();
  }

  @Override
  public void enter(List<String> qualified) throws SQLException {
    Refusals.create(
        statement,
        "CREATE SCHEMA " + name,
        "schema, which the check of statements needs",
        "CREATE ON DATABASE");
    statement.execute(
        "SELECT set_config('search_path', '%s, ' || current_setting('search_path'), true)"
            .formatted(name));
    TableSql.sequentially(statement);
    TableSql.drop(connection, statement, qualified);
  }

  @Override
  public Set<String> made() throws SQLException {
    Set<String> made = new LinkedHashSet<>(Queries.texts(connection, MADE, name));
    if (Citus.of(statement).installed()) {
      // A coordinator that takes shards may show them.
      List<String> tables = new ArrayList<>(made);
      made.removeIf(
          one -> tables.stream().anyMatch(t -> one.matches(Pattern.quote(t) + "_\\d{5,}")));
    }
    others = new OtherTables(statement);
    return made;
  }

  @Override
  public Optional<String> problem(SqlStatement parsed) throws SQLException {
    return others == null ? Optional.empty() : others.problem(parsed.with(""));
  }

  @Override
  public void leave() throws SQLException {
    connection.rollback();
  }
}
