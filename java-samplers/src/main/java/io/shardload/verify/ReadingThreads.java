package io.shardload.verify;

import io.shardload.Daemons;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import io.shardload.workload.Part;
import io.shardload.workload.Ports;
import io.shardload.workload.RowVisitor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Reads parts of a target in parallel. */
final class ReadingThreads {
  private static final int MOST = 4;

  private ReadingThreads() {}

  /**
   * How many threads read on this machine. More threads do not help, because the server is the
   * bottleneck.
   */
  static int count() {
    return Math.min(MOST, Runtime.getRuntime().availableProcessors());
  }

  /**
   * Reads everything, or documents by their ordinals.
   *
   * @param only null for everything
   */
  static void read(Ports ports, Model<?> model, OrdinalSet only, Expectation expectation)
      throws CallFailure {
    int threads = count();
    List<Part> parts = new ArrayList<>();
    if (only == null) {
      parts.addAll(model.parts(ports, threads));
    } else {
      for (int i = 0; i < threads; i++) {
        int share = i;
        parts.add(visitor -> model.read(ports, only.share(share, threads), visitor));
      }
    }
    read(parts, threads, expectation);
  }

  /** Reads all parts; the first failure ends the others at their next row. */
  static void read(List<Part> parts, int threads, RowVisitor visitor) throws CallFailure {
    ExecutorService pool =
        Executors.newFixedThreadPool(Math.min(threads, parts.size()), Daemons.named("read-rows"));
    Endable endable = new Endable(visitor);
    try {
      ExecutorCompletionService<Void> reading = new ExecutorCompletionService<>(pool);
      parts.forEach(
          part ->
              reading.submit(
                  () -> {
                    part.read(endable);
                    return null;
                  }));
      for (int i = 0; i < parts.size(); i++) {
        reading.take().get();
      }
    } catch (ExecutionException e) {
      throw failure(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CallFailure("interrupted", false, false, "interrupted while rows were read");
    } finally {
      endable.ended = true;
      pool.shutdownNow();
    }
  }

  private static CallFailure failure(Throwable cause) {
    if (cause instanceof RuntimeException failure) {
      throw failure;
    }
    return cause instanceof CallFailure failure
        ? failure
        : new CallFailure("internal", false, false, String.valueOf(cause));
  }

  /** Ends a part before its last row. */
  private static final class Endable implements RowVisitor {
    private final RowVisitor visitor;
    private volatile boolean ended;

    Endable(RowVisitor visitor) {
      this.visitor = visitor;
    }

    @Override
    public void row(long ordinal, long edition, String defect) {
      refuse();
      visitor.row(ordinal, edition, defect);
    }

    @Override
    public void dependent(int table, long ordinal, long number, String defect) {
      refuse();
      visitor.dependent(table, ordinal, number, defect);
    }

    @Override
    public void foreign(String description) {
      refuse();
      visitor.foreign(description);
    }

    private void refuse() {
      if (ended) {
        throw new IllegalStateException("another part could not be read");
      }
    }
  }
}
