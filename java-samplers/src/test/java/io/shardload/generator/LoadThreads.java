package io.shardload.generator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** The worker threads that JMeter gives a generator. */
public final class LoadThreads implements AutoCloseable {
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Future<?>> ends = new ArrayList<>();

  private LoadThreads() {}

  /** Starts so many workers. */
  public static LoadThreads start(GeneratorProcess process, int workers) {
    LoadThreads started = new LoadThreads();
    for (int i = 0; i < workers; i++) {
      LoadThread thread = process.newThread();
      started.ends.add(
          started.threads.submit(
              () -> {
                while (!thread.slice().over()) {
                  // The next slice.
                }
                return null;
              }));
    }
    return started;
  }

  /** Runs so many workers to their ends. */
  public static void run(GeneratorProcess process, int workers) throws Exception {
    try (LoadThreads started = start(process, workers)) {
      started.await();
    }
  }

  /** Waits for all to end, and throws what ended one of them. */
  public void await() throws Exception {
    for (Future<?> end : ends) {
      end.get();
    }
  }

  @Override
  public void close() {
    threads.shutdown();
  }
}
