package io.shardload.driver.jdbc.client.pool;

import io.shardload.driver.Hosts;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** A source that gives connections and has no settings. */
public abstract class PlainSource implements DataSource {
  /** Opens a connection to a host. */
  public interface Opening {
    Connection open(Hosts.Host host) throws SQLException;
  }

  /** Of the first host that gives a connection; else the first host's error. */
  public static PlainSource ofFirst(Hosts hosts, Opening opening) {
    return new PlainSource() {
      @Override
      public Connection getConnection() throws SQLException {
        SQLException first = null;
        for (Hosts.Host host : hosts.all()) {
          try {
            return opening.open(host);
          } catch (SQLException e) {
            first = first == null ? e : first;
          }
        }
        throw first;
      }
    };
  }

  @Override
  public final Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException("the user is the target's");
  }

  @Override
  public final PrintWriter getLogWriter() {
    return null;
  }

  @Override
  public final void setLogWriter(PrintWriter out) {}

  /** The sources below have a timeout already. */
  @Override
  public final void setLoginTimeout(int seconds) {}

  @Override
  public int getLoginTimeout() throws SQLException {
    return 0;
  }

  @Override
  public final Logger getParentLogger() throws SQLFeatureNotSupportedException {
    throw new SQLFeatureNotSupportedException();
  }

  @Override
  public final <T> T unwrap(Class<T> type) throws SQLException {
    throw new SQLException("wraps no " + type.getName());
  }

  @Override
  public final boolean isWrapperFor(Class<?> type) {
    return false;
  }
}
