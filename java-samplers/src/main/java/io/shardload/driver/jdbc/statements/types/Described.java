package io.shardload.driver.jdbc.statements.types;

import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Values;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

/**
 * The server's description of a statement before it runs.
 *
 * @param jdbc its text with JDBC's placeholders
 * @param parameters types of the places where a parameter stands, in their order
 * @param columns of the rows that it returns; empty if it returns none
 */
public record Described(
    SqlStatement statement, String jdbc, List<SqlType> parameters, List<Column> columns) {
  /**
   * A column.
   *
   * @param kept what the column keeps of a value
   * @param ofTable false of an expression without limits, also where a view returns it
   */
  public record Column(String name, Kept kept, boolean ofTable) {
    public SqlType type() {
      return kept.type();
    }

    /**
     * Whether the values may have been rounded to a precision that the server does not name: {@code
     * max(price)} has lost the scale of {@code price}.
     */
    public boolean roundsUnknown() {
      return !ofTable && kept.unlimited();
    }
  }

  public Described {
    parameters = List.copyOf(parameters);
    columns = List.copyOf(columns);
  }

  /** Whether columns hold parameters. */
  public static Equality equality(List<Column> columns) {
    Kept[] kept = columns.stream().map(Column::kept).toArray(Kept[]::new);
    return new Equality() {
      @Override
      public boolean holds(int wanted, Object column, Object parameter) {
        return kept[wanted].holds(column, parameter);
      }

      @Override
      public boolean contains(int wanted, Object column, Object parameter) {
        SqlType type = kept[wanted].type();
        return type.kind() == SqlType.Kind.ARRAY
            ? type.contains(column, Values.json(parameter))
            : Equality.super.contains(wanted, column, parameter);
      }
    };
  }

  /** The index of a column, from 0; -1 if it returns none of the name. */
  public int column(String name) {
    List<String> names = columns.stream().map(Column::name).toList();
    int exact = names.indexOf(name);
    // As the server does with names that are not in quotes.
    return exact >= 0 ? exact : names.indexOf(name.toLowerCase(Locale.ROOT));
  }

  /** Sets all arguments of a prepared statement, in the order of the statement's names. */
  public void set(PreparedStatement prepared, Object[] values) throws SQLException {
    for (int i = 0; i < values.length; i++) {
      parameters.get(i).set(prepared, i + 1, values[i]);
    }
  }
}
