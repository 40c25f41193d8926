package io.shardload.keys;

import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ScheduledExecutorService;

/** A background thread for tests: its tasks run when the test says so, in the test's own thread. */
public final class ManualThread {
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final boolean atOnce;
  private int pauses;

  /**
   * @param atOnce run tasks without a delay in the calling thread at once
   */
  public ManualThread(boolean atOnce) {
    this.atOnce = atOnce;
  }

  public ScheduledExecutorService executor() {
    return (ScheduledExecutorService)
        Proxy.newProxyInstance(
            ManualThread.class.getClassLoader(),
            new Class<?>[] {ScheduledExecutorService.class},
            (self, method, args) -> {
              switch (method.getName()) {
                case "execute" -> accept((Runnable) args[0]);
                case "schedule" -> {
                  pauses++;
                  tasks.add((Runnable) args[0]);
                }
                case "awaitTermination" -> {
                  return true;
                }
                default -> {}
              }
              return null;
            });
  }

  private void accept(Runnable task) {
    if (atOnce) {
      task.run();
    } else {
      tasks.add(task);
    }
  }

  /** Runs what has been waiting up to now. */
  public void run() {
    for (int i = tasks.size(); i > 0; i--) {
      tasks.remove().run();
    }
  }

  /** How often a task was put off. */
  int pauses() {
    return pauses;
  }
}
