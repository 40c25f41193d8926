package io.shardload.faults;

import io.shardload.Daemons;
import io.shardload.bundle.FaultsFile.Kind;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Asks the servers one question after the other, every 10 ms, and reports {@code no-answer} when
 * one fails or takes long, and {@code answers} when one is answered again. A question that hangs is
 * waited for: its answer is the first one.
 */
public final class Probe implements AutoCloseable {
  private static final long EVERY_MILLIS = 10;

  /** A server that needs longer does not answer: an idle one needs less than a millisecond. */
  private static final long PATIENCE_NANOS = 100_000_000;

  private static final long COMMAND_MILLIS = 10_000;

  private final Callable<Boolean> question;
  private final AutoCloseable resource;

  /** When the question under way was asked; 0 while there is none. */
  private final AtomicLong asked = new AtomicLong();

  private Supplier<Fault> current;
  private Consumer<Kind> report;
  private boolean answers = true;
  private Thread asking;
  private Thread watching;

  /**
   * A probe that has not been started.
   *
   * @param question asked for a fault without a command of its own: whether the servers answered;
   *     an exception says no
   * @param resource that the question needs, closed with the probe
   */
  public Probe(Callable<Boolean> question, AutoCloseable resource) {
    this.question = question;
    this.resource = resource;
  }

  /**
   * Begins to ask.
   *
   * @param fault the one whose check counts now
   */
  void start(Supplier<Fault> fault, Consumer<Kind> listener) {
    current = fault;
    report = listener;
    asking = Daemons.start(this::ask, "shardload-probe");
    watching = Daemons.start(this::watch, "shardload-probe-watch");
  }

  private void ask() {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        asked.set(System.nanoTime());
        boolean answered = isAnswered();
        asked.set(0);
        learn(answered);
        Thread.sleep(EVERY_MILLIS);
      }
    } catch (InterruptedException e) {
      // The run is over.
    }
  }

  private boolean isAnswered() throws InterruptedException {
    try {
      String check = current.get().check();
      return check.isEmpty() ? question.call() : ShellInjection.succeeds(check, COMMAND_MILLIS);
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception e) {
      return false;
    }
  }

  private void watch() {
    try {
      while (true) {
        Thread.sleep(EVERY_MILLIS);
        long since = asked.get();
        if (since != 0 && System.nanoTime() - since > PATIENCE_NANOS) {
          learnHanging(since);
        }
      }
    } catch (InterruptedException e) {
      // The run is over.
    }
  }

  /** Unless the question has been answered meanwhile. */
  private synchronized void learnHanging(long since) {
    if (asked.get() == since) {
      learn(false);
    }
  }

  private synchronized void learn(boolean answered) {
    if (answered != answers) {
      answers = answered;
      report.accept(answered ? Kind.ANSWERS : Kind.NO_ANSWER);
    }
  }

  @Override
  public void close() {
    if (asking != null) {
      asking.interrupt();
      watching.interrupt();
    }
    try {
      resource.close();
    } catch (Exception e) {
      // The servers may still be out of order; the run has its results.
    }
  }
}
