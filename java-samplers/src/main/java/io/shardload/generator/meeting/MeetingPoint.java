package io.shardload.generator.meeting;

import com.google.gson.JsonObject;
import io.shardload.keys.ranges.Ranges;
import io.shardload.metrics.SecondListener;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Where a generator meets the others of its run. The local one has no other generators to meet.
 *
 * <p>In the order of a run: {@link #ranges}, {@link #onStop}, {@link #agreeStart}, a {@link
 * #second} each second, {@link #finish}, {@link #close}. Thread-safe.
 */
public interface MeetingPoint extends SecondListener, AutoCloseable {
  /** Whether generators of other processes belong to the run. */
  boolean isShared();

  /** The permission to write to the target. */
  Lease lease();

  /**
   * Sets the action that stops the run from outside; it receives the reason for the final ledger
   * line.
   */
  void onStop(Consumer<String> stop);

  /** Ranges of new ordinals from a mark on, of so many ordinals each. */
  Ranges ranges(long highWater, int size);

  /**
   * Reports that this generator is ready, and waits until the common start time is known.
   *
   * @param stopped says that the run was stopped, so that there is nothing to wait for
   */
  Start agreeStart(Readiness readiness, BooleanSupplier stopped) throws InterruptedException;

  /** Adds fields to each ledger line. */
  void describe(JsonObject line);

  /** Adds fields to the final ledger line. */
  void describeEnd(JsonObject line);

  /**
   * Reports that the generator cannot begin or continue.
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
