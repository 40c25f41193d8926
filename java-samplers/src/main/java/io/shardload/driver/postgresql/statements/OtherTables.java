package io.shardload.driver.postgresql.statements;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The tables that statements of this transaction use, although its schema has not created them. The
 * server locks each table of a statement that it parses until the transaction ends. The schema of
 * extensions stays in the search path, and it may hold other tables: usually it is {@code public}.
 */
public final class OtherTables {
  private static final String LOCKED =
      """
      SELECT nspname, relname FROM pg_locks
      JOIN pg_class ON pg_class.oid = relation JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE pid = pg_backend_pid() AND locktype = 'relation' AND relkind IN ('r', 'p', 'v', 'm', 'f')
      AND nspname NOT IN ('pg_catalog', 'information_schema') AND NOT EXISTS (
        SELECT 1 FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = relation AND deptype = 'e')
      ORDER BY 1, 2
      """;

  private record Name(String schema, String table) {
    /** Whether a statement names the table with its schema, so that it means this one. */
    boolean isIn(String sql) {
      return Pattern.compile(
              "(?i)\\b%s\"?\\s*\\.\\s*\"?%s\\b"
                  .formatted(Pattern.quote(schema), Pattern.quote(table)))
          .matcher(sql)
          .find();
    }

    @Override
    public String toString() {
      return schema + "." + table;
    }
  }

  private final Statement statement;
  private final Set<Name> before;

  /** To be called when the schema has been created. */
  public OtherTables(Statement statement) throws SQLException {
    this.statement = statement;
    this.before = new HashSet<>(locked());
  }

  /** A problem of the statement that the server has just parsed; empty if there is none. */
  public Optional<String> problem(String sql) throws SQLException {
    return locked().stream()
        .filter(name -> !before.contains(name) && !name.isIn(sql))
        .findFirst()
        .map(
            name ->
                ("table %s exists, but the schema file does not create it; create it there, or write"
                        + " %s in the statement")
                    .formatted(name, name));
  }

  private Set<Name> locked() throws SQLException {
    Set<Name> names = new LinkedHashSet<>();
    try (ResultSet row = statement.executeQuery(LOCKED)) {
      while (row.next()) {
        names.add(new Name(row.getString(1), row.getString(2)));
      }
    }
    return names;
  }
}
