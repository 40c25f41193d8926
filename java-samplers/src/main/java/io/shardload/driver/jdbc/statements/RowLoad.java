package io.shardload.driver.jdbc.statements;

import io.shardload.driver.ParallelLoad;
import io.shardload.driver.jdbc.client.SqlConnections;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.TableRows;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.LongConsumer;

/** Loads rows over some connections at a time, in pieces of one transaction each. */
public final class RowLoad {
  private static final int MOST_CONNECTIONS = 4;
  private static final int PIECE_ROWS = 5_000;

  /** Writes rows by the system's bulk path. Used by several threads. */
  @FunctionalInterface
  public interface Writer {
    /**
     * Writes the rows of these numbers.
     *
     * @param more receives how many were written, once or several times
     */
    void write(Connection connection, long from, long end, LongConsumer more)
        throws SQLException, CallFailure;
  }

  private RowLoad() {}

  static void run(
      SqlConnections connections,
      TableRows rows,
      Writer writer,
      long from,
      long end,
      LongConsumer progress)
      throws CallFailure {
    int threads = Math.min(MOST_CONNECTIONS, Runtime.getRuntime().availableProcessors());
    new ParallelLoad(from, end, PIECE_ROWS, threads, progress)
        .run(
            pieces -> {
              try (Connection connection = connections.unlimited()) {
                for (long at = pieces.take(); at < end; at = pieces.take()) {
                  long last = Math.min(end, at + PIECE_ROWS);
                  writer.write(connection, at, last, pieces::written);
                }
              } catch (SQLException e) {
                CallFailure failure = connections.outcomes().statement(e);
                throw failure.saying("table " + rows.table() + ": " + failure.getMessage());
              }
            });
  }
}
