package io.shardload;

import java.util.concurrent.ThreadFactory;

/** Threads that do not keep the JVM alive. */
public final class Daemons {
  private Daemons() {}

  /** Makes the threads of an executor, all of one name. */
  public static ThreadFactory named(String name) {
    return task -> thread(task, name);
  }

  /** A thread that has not been started. */
  public static Thread thread(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  public static Thread start(Runnable task, String name) {
    Thread thread = thread(task, name);
    thread.start();
    return thread;
  }
}
