package io.shardload.generator.meeting;

import com.google.gson.JsonObject;
import io.shardload.keys.ranges.Ranges;
import io.shardload.metrics.SecondListener;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Where a generator meets the others of its run. The local one has nobody to meet.
 *
 * <p>In the order of a run: {@link #ranges}, {@link #onStop}, {@link #agreeStart}, a {@link
 * #second} each second, {@link #finish}, {@link #close}. Thread-safe.
 */
public interface MeetingPoint extends SecondListener, AutoCloseable {
  /** Whether generators of other processes belong to the run. */
  boolean isShared();

  /** The permission to write to the target. */
  Lease lease();

  /** Says how the run is stopped from outside; with the reason for the final ledger line. */
  void onStop(Consumer<String> stop);

  /** Ranges of new ordinals from a mark on, of so many ordinals each. */
  Ranges ranges(long highWater, int size);

  /**
   * Says that this generator is ready, and waits until the moment is known at which all begin.
   *
   * @param stopped says that the run was stopped, so that there is nothing to wait for
   */
  Start agreeStart(Readiness readiness, BooleanSupplier stopped) throws InterruptedException;

  /** Adds what belongs into each ledger line. */
  void describe(JsonObject line);

  /** Adds what belongs into the final ledger line. */
  void describeEnd(JsonObject line);

  /**
   * Reports that the generator cannot begin or go on.
   *
   * @param key of the configuration that the message is about
   * @param exit code of a run that this ends
   */
  void trouble(String key, String message, int exit);

  /** Hands over the final ledger line, after the generator has closed its files. */
  void finish(JsonObject line) throws InterruptedException;

  @Override
  void close();
}
