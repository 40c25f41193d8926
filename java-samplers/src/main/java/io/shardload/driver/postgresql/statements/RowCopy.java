package io.shardload.driver.postgresql.statements;

import io.shardload.Daemons;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.statements.ServerTable.Column;
import io.shardload.driver.postgresql.statements.types.CopyText;
import io.shardload.driver.postgresql.statements.types.ServerType;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.TableRows;
import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.postgresql.PGConnection;

/**
 * Loads rows by COPY over some connections at a time, in pieces of one transaction each. A piece
 * that fails ends the load; the pieces that were written stay.
 */
final class RowCopy {
  private static final int MOST_CONNECTIONS = 4;
  private static final int PIECE_ROWS = 5_000;
  private static final int PIECE_CHARACTERS = 8 << 20;

  private final Connections connections;
  private final TableRows rows;
  private final List<ServerType> types;
  private final String sql;
  private final AtomicLong next;
  private final long end;
  private final LongConsumer progress;
  private long written;

  /**
   * @param progress called by several threads, but by one at a time
   */
  RowCopy(
      Connections connections,
      ServerTable table,
      TableRows rows,
      long from,
      long end,
      LongConsumer progress) {
    this.connections = connections;
    this.rows = rows;
    this.types =
        rows.columns().stream()
            .map(name -> table.column(name).map(Column::type).orElse(ServerType.OTHER))
            .toList();
    this.sql = "COPY %s (%s) FROM STDIN".formatted(table.sqlName(), table.sqlNames(rows.columns()));
    this.next = new AtomicLong(from);
    this.end = end;
    this.progress = progress;
  }

  void run() throws CallFailure {
    long pieces = (end - next.get() + PIECE_ROWS - 1) / PIECE_ROWS;
    int threads =
        (int)
            Math.min(
                pieces, Math.min(MOST_CONNECTIONS, Runtime.getRuntime().availableProcessors()));
    if (threads < 2) {
      copyPieces();
      return;
    }
    ExecutorService pool = Executors.newFixedThreadPool(threads, Daemons.named("load"));
    try {
      ExecutorCompletionService<Void> ends = new ExecutorCompletionService<>(pool);
      List<Future<Void>> all = new ArrayList<>();
      Callable<Void> work = this::copyPieces;
      for (int i = 0; i < threads; i++) {
        all.add(ends.submit(work));
      }
      for (int i = 0; i < all.size(); i++) {
        ends.take().get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CallFailure("interrupted", false, false, "the load was interrupted");
    } catch (ExecutionException e) {
      throw cause(e);
    } finally {
      stop(pool);
    }
  }

  private static CallFailure cause(ExecutionException e) {
    if (e.getCause() instanceof CallFailure failure) {
      return failure;
    }
    throw new IllegalStateException("cannot generate rows", e.getCause());
  }

  /** No thread takes another piece, and the last piece under way has ended when this returns. */
  private void stop(ExecutorService pool) {
    next.set(end);
    pool.shutdown();
    boolean interrupted = Thread.interrupted();
    while (!pool.isTerminated()) {
      try {
        pool.awaitTermination(1, java.util.concurrent.TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private Void copyPieces() throws CallFailure {
    try (Connection connection = connections.unlimited()) {
      for (long at = take(); at < end; at = take()) {
        copy(connection, at, Math.min(end, at + PIECE_ROWS));
      }
      return null;
    } catch (SQLException e) {
      next.set(end);
      CallFailure failure = Failures.ofStatement(e);
      throw new CallFailure(
          failure.kind(),
          failure.effectExcluded(),
          failure.transientFailure(),
          "table " + rows.table() + ": " + failure.getMessage());
    } catch (CallFailure | RuntimeException e) {
      next.set(end);
      throw e;
    }
  }

  private long take() {
    return next.getAndUpdate(at -> at >= end ? at : at + PIECE_ROWS);
  }

  private void copy(Connection connection, long from, long stop) throws SQLException, CallFailure {
    CopyText text = new CopyText(types);
    long first = from;
    for (long number = from; number < stop; number++) {
      text.add(rows.row(number));
      if (text.length() > PIECE_CHARACTERS || number == stop - 1) {
        send(connection, text);
        tell(number + 1 - first);
        text = new CopyText(types);
        first = number + 1;
      }
    }
  }

  private void send(Connection connection, CopyText text) throws SQLException, CallFailure {
    try {
      connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn(sql, new StringReader(text.toString()));
    } catch (IOException e) {
      throw new CallFailure("copy-failed", false, false, e.toString());
    }
  }

  private synchronized void tell(long more) {
    written += more;
    progress.accept(written);
  }
}
