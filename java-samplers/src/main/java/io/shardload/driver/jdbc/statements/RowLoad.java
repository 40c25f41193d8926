package io.shardload.driver.jdbc.statements;

import io.shardload.Daemons;
import io.shardload.driver.jdbc.client.SqlConnections;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.TableRows;
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

/**
 * Loads rows over some connections at a time, in pieces of one transaction each. A piece that fails
 * ends the load; the pieces that were written stay.
 */
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

  private final SqlConnections connections;
  private final TableRows rows;
  private final Writer writer;
  private final AtomicLong next;
  private final long end;
  private final LongConsumer progress;
  private long written;

  /**
   * @param progress called by several threads, but by one at a time
   */
  RowLoad(
      SqlConnections connections,
      TableRows rows,
      Writer writer,
      long from,
      long end,
      LongConsumer progress) {
    this.connections = connections;
    this.rows = rows;
    this.writer = writer;
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
      writePieces();
      return;
    }
    ExecutorService pool = Executors.newFixedThreadPool(threads, Daemons.named("load"));
    try {
      ExecutorCompletionService<Void> ends = new ExecutorCompletionService<>(pool);
      List<Future<Void>> all = new ArrayList<>();
      Callable<Void> work = this::writePieces;
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

  private Void writePieces() throws CallFailure {
    try (Connection connection = connections.unlimited()) {
      for (long at = take(); at < end; at = take()) {
        writer.write(connection, at, Math.min(end, at + PIECE_ROWS), this::written);
      }
      return null;
    } catch (SQLException e) {
      next.set(end);
      CallFailure failure = connections.outcomes().statement(e);
      throw failure.saying("table " + rows.table() + ": " + failure.getMessage());
    } catch (CallFailure | RuntimeException e) {
      next.set(end);
      throw e;
    }
  }

  private long take() {
    return next.getAndUpdate(at -> at >= end ? at : at + PIECE_ROWS);
  }

  private synchronized void written(long more) {
    written += more;
    progress.accept(written);
  }
}
