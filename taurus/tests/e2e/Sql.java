import java.sql.DriverManager;

/**
 * Executes its arguments on the database of SQL_URL, and prints the first column of what they
 * answer: a hand that goes past the code under test.
 */
class Sql {
  public static void main(String[] statements) throws Exception {
    try (var connection = DriverManager.getConnection(System.getenv("SQL_URL"));
        var statement = connection.createStatement()) {
      for (String sql : statements) {
        if (statement.execute(sql)) {
          try (var rows = statement.getResultSet()) {
            while (rows.next()) {
              System.out.println(rows.getString(1));
            }
          }
        }
      }
    }
  }
}
