package io.shardload.driver.postgresql.statements;

import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.TableRows;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * Writes rows by COPY in its text format, over several connections, in pieces of one transaction
 * each. Values are text, so the server makes of them whatever the columns are.
 */
final class RowCopy {
  private static final int PIECE_ROWS = 5_000;
  private static final int WRITE_BYTES = 1 << 16;

  /** The server's part of the work is more than half, so few connections keep it busy. */
  private static final int CONNECTIONS = 3;

  private final Connections connections;
  private final TableRows rows;
  private final String sql;

  RowCopy(Connections connections, TableRows rows) {
    this.connections = connections;
    this.rows = rows;
    String columns = rows.columns().isEmpty() ? "" : " (" + String.join(", ", rows.columns()) + ")";
    this.sql = "COPY " + rows.table() + columns + " FROM STDIN";
  }

  void load(long from, long end, LongConsumer progress) throws CallFailure {
    AtomicLong next = new AtomicLong(from);
    Object telling = new Object();
    long[] done = {0};
    Callable<Void> worker =
        () -> {
          try (Connection connection = connections.unlimited()) {
            for (long first = take(next, end); first >= 0; first = take(next, end)) {
              long stop = Math.min(end, first + PIECE_ROWS);
              copy(connection, first, stop);
              synchronized (telling) {
                done[0] += stop - first;
                progress.accept(done[0]);
              }
            }
            return null;
          }
        };
    all(worker, (int) Math.min(CONNECTIONS, (end - from + PIECE_ROWS - 1) / PIECE_ROWS));
  }

  private static long take(AtomicLong next, long end) {
    long first = next.getAndAdd(PIECE_ROWS);
    return first < end ? first : -1;
  }

  private static void all(Callable<Void> worker, int threads) throws CallFailure {
    ExecutorService pool =
        Executors.newFixedThreadPool(
            Math.max(1, threads),
            task -> {
              Thread thread = new Thread(task, "row-copy");
              thread.setDaemon(true);
              return thread;
            });
    try {
      List<Future<Void>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        running.add(pool.submit(worker));
      }
      for (Future<Void> one : running) {
        one.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CallFailure("interrupted", false, false, "the load was interrupted");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CallFailure failure) {
        throw failure;
      }
      if (e.getCause() instanceof SQLException failure) {
        throw Failures.ofStatement(failure);
      }
      throw new IllegalStateException("cannot make rows", e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  private void copy(Connection connection, long from, long end) throws SQLException {
    CopyIn copy = connection.unwrap(PGConnection.class).getCopyAPI().copyIn(sql);
    try {
      StringBuilder text = new StringBuilder();
      for (long row = from; row < end; row++) {
        line(text, rows.row(row));
        if (text.length() >= WRITE_BYTES || row == end - 1) {
          byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
          copy.writeToCopy(bytes, 0, bytes.length);
          text.setLength(0);
        }
      }
      copy.endCopy();
    } finally {
      if (copy.isActive()) {
        copy.cancelCopy();
      }
    }
  }

  private static void line(StringBuilder text, Object[] values) {
    for (int i = 0; i < values.length; i++) {
      text.append(i == 0 ? "" : "\t");
      Object value = values[i];
      if (value == null) {
        text.append("\\N");
      } else if (value instanceof BigDecimal decimal) {
        text.append(decimal.toPlainString());
      } else {
        escape(text, value.toString());
      }
    }
    text.append('\n');
  }

  private static void escape(StringBuilder text, String value) {
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      switch (c) {
        case '\\' -> text.append("\\\\");
        case '\t' -> text.append("\\t");
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        default -> text.append(c);
      }
    }
  }
}
