package io.shardload.faults;

import com.google.gson.JsonObject;
import io.shardload.Daemons;
import io.shardload.Guard;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

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

  private final List<Fault> faults;
  private final Function<Fault, Injection> injections;
  private final Probe probe;
  private final BufferedWriter out;
  private final CountDownLatch started = new CountDownLatch(1);
  private final Thread thread;

  // By the clock that does not step, as the generators count their time.
  private final double beginMillis = System.currentTimeMillis();
  private final long beginNanos = System.nanoTime();
  private volatile double loadMillis;
  private volatile double originMillis;
  private volatile String current = "";

  /**
   * Waits for {@link #started}.
   *
   * @param injections how each fault is put into effect
   * @param probe asks whether the servers answer; closed with this
   * @param file to be written
   */
  public Injector(List<Fault> faults, Function<Fault, Injection> injections, Probe probe, Path file)
      throws IOException {
    this.faults = faults;
    this.injections = injections;
    this.probe = probe;
    this.out = Files.newBufferedWriter(file);
    this.thread = Daemons.start(this::run, "shardload-faults");
  }

  /**
   * The load has started; its warm-up is over.
   *
   * @param epochMillis when, by the controller's clock
   * @param warmUpSeconds how long the warm-up was
   */
  public void started(double epochMillis, double warmUpSeconds) {
    loadMillis = epochMillis;
    originMillis = epochMillis + warmUpSeconds * 1000;
    started.countDown();
  }

  private void run() {
    try (probe) {
      started.await();
      current = faults.get(0).name();
      sleepUntil(originMillis + (faults.get(0).atSeconds() - PROBE_BEFORE_SECONDS) * 1000);
      probe.start(this::event);
      for (Fault fault : faults) {
        sleepUntil(originMillis + fault.atSeconds() * 1000);
        inject(fault);
      }
      new CountDownLatch(1).await(); // The probe goes on until the end of the run.
    } catch (InterruptedException e) {
      // The run is over.
    }
  }

  private void inject(Fault fault) throws InterruptedException {
    current = fault.name();
    Injection injection = injections.apply(fault);
    Guard guard = null;
    try {
      event("begin");
      guard = injection.undo().isEmpty() ? null : Guard.start(injection.undo());
      injection.begin();
      event("begun");
      sleepUntil(originMillis + (fault.atSeconds() + fault.durationSeconds()) * 1000);
    } catch (IOException | RuntimeException e) {
      event("failed", text(e));
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
      event("end");
      injection.end();
      event("ended");
    } catch (IOException | RuntimeException e) {
      event("failed", text(e));
    } catch (InterruptedException e) {
      event("failed", "its end was interrupted");
      Thread.currentThread().interrupt();
    }
  }

  private static String text(Exception e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  private double nowMillis() {
    return beginMillis + (System.nanoTime() - beginNanos) / 1e6;
  }

  private void sleepUntil(double epochMillis) throws InterruptedException {
    double millis = epochMillis - nowMillis();
    if (millis > 0) {
      TimeUnit.MICROSECONDS.sleep(Math.round(millis * 1000));
    }
  }

  private void event(String event) {
    event(event, "");
  }

  private synchronized void event(String event, String text) {
    double now = nowMillis();
    JsonObject line = new JsonObject();
    line.addProperty("event", event);
    line.addProperty("fault", current);
    line.addProperty("epoch_ms", Math.round(now));
    line.addProperty("load_ns", Math.round((now - loadMillis) * 1e6));
    if (!text.isEmpty()) {
      line.addProperty("text", text);
    }
    try {
      out.write(line + "\n");
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends the fault that is in effect, and waits until it has ended. */
  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(END_PATIENCE_SECONDS));
      out.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
