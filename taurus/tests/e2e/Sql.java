import java.sql.DriverManager;

/** Executes its arguments on the database of SQL_URL: a hand that goes past the code under test. */
class Sql {
  public static void main(String[] statements) throws Exception {
    try (var connection = DriverManager.getConnection(System.getenv("SQL_URL"));
        var statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
