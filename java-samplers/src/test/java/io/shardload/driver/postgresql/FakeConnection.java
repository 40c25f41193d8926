package io.shardload.driver.postgresql;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * A fake of a connection that answers what it was told to expect, in that order, and refuses all
 * else.
 */
public final class FakeConnection {
  private record Expected(String sql, List<List<String>> rows, SQLException failure) {}

  private final Deque<Expected> expected = new ArrayDeque<>();

  /** The next statement, in words parted by single blanks, with an answer of no rows. */
  public FakeConnection expect(String sql) {
    return expectRows(sql, List.of());
  }

  /** The same with an answer of one row. */
  public FakeConnection expect(String sql, List<String> row) {
    return expectRows(sql, List.of(row));
  }

  public FakeConnection expectRows(String sql, List<List<String>> rows) {
    expected.add(new Expected(words(sql), rows, null));
    return this;
  }

  /** The next statement, which fails. */
  public FakeConnection expectFailure(String sql, SQLException failure) {
    expected.add(new Expected(words(sql), List.of(), failure));
    return this;
  }

  public boolean nothingLeft() {
    return expected.isEmpty();
  }

  public Connection connection() {
    return fake(
        Connection.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "createStatement" -> statement();
              case "commit" -> {
                next("COMMIT");
                yield null;
              }
              case "setAutoCommit", "close" -> null;
              default -> throw new AssertionError("unexpected: " + method);
            });
  }

  private Statement statement() {
    return fake(
        Statement.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "execute" -> !next((String) arguments[0]).isEmpty();
              case "executeQuery" -> rows(next((String) arguments[0]));
              case "close" -> null;
              default -> throw new AssertionError("unexpected: " + method);
            });
  }

  private List<List<String>> next(String sql) throws SQLException {
    Expected next = expected.poll();
    if (next == null || !next.sql().equals(words(sql))) {
      throw new AssertionError(
          "got " + words(sql) + "\ninstead of " + (next == null ? "nothing" : next.sql()));
    }
    if (next.failure() != null) {
      throw next.failure();
    }
    return next.rows();
  }

  private static ResultSet rows(List<List<String>> rows) {
    Iterator<List<String>> left = rows.iterator();
    Deque<List<String>> current = new ArrayDeque<>();
    return fake(
        ResultSet.class,
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "next" -> {
                current.clear();
                if (left.hasNext()) {
                  current.add(left.next());
                }
                yield !current.isEmpty();
              }
              case "getString" -> current.element().get((int) arguments[0] - 1);
              case "getLong" -> Long.valueOf(current.element().get((int) arguments[0] - 1));
              case "getInt" -> Integer.valueOf(current.element().get((int) arguments[0] - 1));
              case "close" -> null;
              default -> throw new AssertionError("unexpected: " + method);
            });
  }

  private static String words(String sql) {
    return sql.strip().replaceAll("\\s+", " ");
  }

  private static <T> T fake(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
