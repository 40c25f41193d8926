import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * Writes to the database of SQL_URL each 10 ms until its standard input ends, and prints its
 * longest time without success in milliseconds, and the moment of the success before it, in
 * milliseconds since 1970: a hand that knows nothing of the code under test.
 */
class Prober {
  private static final String TABLE = "CREATE TABLE IF NOT EXISTS prober (calls bigint)";
  private static final String WRITE = "UPDATE prober SET calls = calls + 1";

  public static void main(String[] none) throws Exception {
    String url = System.getenv("SQL_URL");
    try (Connection first = DriverManager.getConnection(url);
        var statement = first.createStatement()) {
      statement.execute(TABLE);
      statement.execute("INSERT INTO prober VALUES (0)");
    }
    Connection connection = null;
    long last = System.nanoTime();
    long lastMillis = System.currentTimeMillis();
    long longest = 0;
    long longestFrom = 0;
    System.out.println("ready");
    while (System.in.available() == 0) {
      try {
        if (connection == null) {
          connection = DriverManager.getConnection(url);
        }
        try (var statement = connection.createStatement()) {
          statement.execute(WRITE);
        }
        long now = System.nanoTime();
        if (now - last > longest) {
          longest = now - last;
          longestFrom = lastMillis;
        }
        last = now;
        lastMillis = System.currentTimeMillis();
      } catch (SQLException e) {
        connection = null; // The server has closed it.
      }
      Thread.sleep(10);
    }
    System.out.println(longest / 1_000_000 + " " + longestFrom);
  }
}
