package io.shardload.cli;

import com.google.gson.JsonObject;
import io.shardload.calibrate.Calibration;
import io.shardload.driver.Target;
import io.shardload.workload.CallFailure;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The verb {@code calibrate}: what the harness costs, measured on one target. */
final class CalibrateVerb {
  private static final long PATIENCE_SECONDS = 15;

  /** Held during a calibration, so that the caller can wait until it has removed its tables. */
  private final ReentrantLock working = new ReentrantLock();

  JsonObject run(JsonObject request, Supplier<Target> target, Listener listener)
      throws CallFailure, IOException {
    working.lock();
    try {
      return Calibration.run(request, target.get(), listener);
    } catch (InterruptedException e) {
      throw new CallFailure("interrupted", false, false, "the calibration was interrupted");
    } finally {
      working.unlock();
    }
  }

  /** Waits until a calibration that was interrupted has removed what it made. */
  void awaitEnd() {
    try {
      if (!working.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        System.err.println("the calibration does not stop");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
