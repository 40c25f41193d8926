package io.shardload.faults;

import io.shardload.Daemons;
import io.shardload.Guard;
import io.shardload.bundle.FaultsFile;
import io.shardload.bundle.FaultsFile.Kind;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Injects the faults of a run one after the other, and writes what happens to {@code faults.jsonl}:
 * one event per line, with the time of the controller's clock and since the start of the load. From
 * shortly before the first fault on it also asks the servers all the time whether they answer.
 *
 * <p>No fault outlives its run: {@link #close} ends the one in effect, and after a kill -9 of this
 * process a shell does.
 */
public final class Injector implements AutoCloseable {
  /** The probe learns first that the servers answer. */
  private static final double PROBE_BEFORE_SECONDS = 1;

  private static final long END_PATIENCE_SECONDS = 150;

  private static final Logger LOG = Logger.getLogger(Injector.class.getName());

  private final List<Fault> faults;
  private final Function<Fault, Injection> injections;
  private final Probe probe;
  private final BufferedWriter out;
  private final Consumer<FaultsFile.Event> heard;
  private final CountDownLatch started = new CountDownLatch(1);
  private final AtomicBoolean stopped = new AtomicBoolean();
  private final Thread thread;

  /** When the load started, and when its warm-up ended, by the clock that does not step. */
  private volatile long loadNanos;

  private volatile long originNanos;
  private volatile long startMillis;
  private volatile Fault current;

  /**
   * Waits for {@link #started}.
   *
   * @param injections how each fault is put into effect
   * @param probe asks whether the servers answer; closed when the run ends
   * @param file to be written
   * @param heard gets each event, too
   */
  public Injector(
      List<Fault> faults,
      Function<Fault, Injection> injections,
      Probe probe,
      Path file,
      Consumer<FaultsFile.Event> heard)
      throws IOException {
    this.faults = faults;
    this.injections = injections;
    this.probe = probe;
    this.heard = heard;
    this.out = Files.newBufferedWriter(file);
    this.thread = Daemons.start(this::run, "shardload-faults");
  }

  /**
   * The load has started; its warm-up is over.
   *
   * @param startNanos when it started, as {@link System#nanoTime}
   * @param warmUpSeconds how long the warm-up was
   */
  public void started(long startNanos, double warmUpSeconds) {
    loadNanos = startNanos;
    // The clock may step later.
    startMillis =
        System.currentTimeMillis() - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    originNanos = startNanos + Math.round(warmUpSeconds * 1e9);
    started.countDown();
  }

  private void run() {
    try (probe) {
      started.await();
      current = faults.get(0);
      sleepUntil(current.atSeconds() - PROBE_BEFORE_SECONDS);
      probe.start(() -> current, this::event);
      for (Fault fault : faults) {
        sleepUntil(fault.atSeconds());
        current = fault;
        inject(fault);
      }
      new CountDownLatch(1).await(); // The probe goes on until the end of the run.
    } catch (InterruptedException e) {
      // The run is over.
    }
  }

  private void inject(Fault fault) throws InterruptedException {
    Injection injection = injections.apply(fault);
    Guard guard = null;
    try {
      event(Kind.BEGIN);
      guard = injection.undo().isEmpty() ? null : Guard.start(injection.undo());
      injection.begin(guard);
      event(Kind.BEGUN);
      sleepUntil(fault.atSeconds() + fault.durationSeconds());
    } catch (IOException | RuntimeException e) {
      event(Kind.FAILED, text(e));
    } finally {
      // Also if its begin failed, perhaps after half of its work, and if the run is stopped.
      boolean interrupted = Thread.interrupted();
      end(injection);
      if (guard != null) {
        guard.dismiss();
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void end(Injection injection) {
    try {
      event(Kind.END);
      injection.end();
      event(Kind.ENDED);
    } catch (IOException | RuntimeException e) {
      event(Kind.FAILED, text(e));
    } catch (InterruptedException e) {
      event(Kind.FAILED, "its end was interrupted");
      Thread.currentThread().interrupt();
    }
  }

  private static String text(Exception e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  /** Sleeps until so many seconds after the warm-up. */
  private void sleepUntil(double seconds) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(originNanos + Math.round(seconds * 1e9) - System.nanoTime());
  }

  private void event(Kind kind) {
    event(kind, "");
  }

  /** A full disk must keep no fault in effect, so what cannot be written is lost. */
  private synchronized void event(Kind kind, String text) {
    long nanos = System.nanoTime() - loadNanos;
    long epochMillis = startMillis + TimeUnit.NANOSECONDS.toMillis(nanos);
    var event = new FaultsFile.Event(kind, current.name(), epochMillis, nanos, text);
    heard.accept(event);
    try {
      FaultsFile.append(event, out);
      out.flush();
    } catch (IOException e) {
      LOG.log(Level.SEVERE, "cannot write the event {0} of a fault: {1}", new Object[] {kind, e});
    }
  }

  /** Begins to end the fault that is in effect; no other one begins. */
  public void stop() {
    // A second interrupt would hit the end of the fault.
    if (!stopped.getAndSet(true)) {
      thread.interrupt();
    }
  }

  /** Ends the fault that is in effect, and waits until it has ended. */
  @Override
  public void close() {
    stop();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(END_PATIENCE_SECONDS));
      out.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      LOG.log(Level.SEVERE, "cannot write the events of the faults", e);
    }
  }
}
