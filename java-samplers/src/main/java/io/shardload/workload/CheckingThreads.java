package io.shardload.workload;

import io.shardload.Daemons;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/**
 * Checks rows in several threads while one thread reads them, for tables that can only be read as a
 * whole. The number of pending batches is limited, so memory stays bounded.
 */
public final class CheckingThreads<T> {
  private static final int BATCH_ROWS = 256;
  private static final int BATCH_CHARACTERS = 1 << 20;

  /** A table that is read as a whole. */
  @FunctionalInterface
  public interface Source<T> {
    void read(Consumer<T> rows) throws CallFailure;
  }

  private final ToIntFunction<T> size;
  private final Consumer<T> check;
  private final ExecutorService threads;
  private final Semaphore room;
  private final int most;
  private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
  private List<T> batch = new ArrayList<>(BATCH_ROWS);
  private int characters;

  private CheckingThreads(int threads, ToIntFunction<T> size, Consumer<T> check) {
    this.size = size;
    this.check = check;
    this.most = 2 * threads;
    this.room = new Semaphore(most);
    this.threads = Executors.newFixedThreadPool(threads, Daemons.named("check-rows"));
  }

  /**
   * Reads a table in the calling thread; returns when every row was checked.
   *
   * @param size of a row in characters
   * @param check called by the threads, possibly concurrently
   */
  public static <T> void read(
      Source<T> table, int threads, ToIntFunction<T> size, Consumer<T> check) throws CallFailure {
    CheckingThreads<T> checking = new CheckingThreads<>(threads, size, check);
    try {
      table.read(checking::add);
      checking.end();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CallFailure("interrupted", false, false, "interrupted while rows were checked");
    } finally {
      checking.threads.shutdownNow();
    }
  }

  private void add(T row) {
    batch.add(row);
    characters += size.applyAsInt(row);
    if (batch.size() >= BATCH_ROWS || characters >= BATCH_CHARACTERS) {
      handOver();
    }
  }

  private void handOver() {
    throwFailure();
    List<T> rows = batch;
    batch = new ArrayList<>(BATCH_ROWS);
    characters = 0;
    room.acquireUninterruptibly();
    threads.execute(
        () -> {
          try {
            rows.forEach(check);
          } catch (RuntimeException e) {
            failure.compareAndSet(null, e);
          } finally {
            room.release();
          }
        });
  }

  private void end() throws InterruptedException {
    handOver();
    room.acquire(most);
    threads.shutdown();
    threads.awaitTermination(1, TimeUnit.MINUTES);
    throwFailure();
  }

  private void throwFailure() {
    RuntimeException first = failure.get();
    if (first != null) {
      throw first;
    }
  }
}
