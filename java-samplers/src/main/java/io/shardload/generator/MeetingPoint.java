package io.shardload.generator;

import com.google.gson.JsonObject;
import io.shardload.keys.Ranges;
import io.shardload.metrics.SecondListener;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Where a generator meets the others of its run. The local one has no other generators to meet.
 *
 * <p>In the order of a run: {@link #ranges}, {@link #onOrder}, {@link #agreeStart}, a {@link
 * #second} each second, {@link #finish}, {@link #close}. Thread-safe.
 */
public interface MeetingPoint extends SecondListener, AutoCloseable {
  /** Whether generators of other processes belong to the run. */
  boolean isShared();

  /** The permission to write to the target. */
  Lease lease();

  /**
   * Sets what is done on orders from outside.
   *
   * @param stop stops the run; receives the reason for the final ledger line
   * @param prolong prolongs the warm-up; receives by how much in total, perhaps several times
   */
  void onOrder(Consumer<String> stop, LongConsumer prolong);

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

  /**
   * The moment from which all due times count.
   *
   * @param nanoTime by this process's monotonic clock
   * @param epochMillis the same moment by the clock that all generators of the run share
   */
  record Start(long nanoTime, long epochMillis) {}

  /**
   * What all generators of a run must agree on, and where this one runs.
   *
   * @param scheduleHash of the plan that it is going to run
   * @param highWater mark at which the run begins
   * @param generation of the data set; -1 if the target keeps none
   * @param sharesMachine whether documents lie on the generator's machine
   */
  record Readiness(String scheduleHash, long highWater, long generation, boolean sharesMachine) {}

  /** The permission to write to the target, for a limited time. Thread-safe. */
  @FunctionalInterface
  interface Lease {
    /** The lease of a generator that no other generator can replace. */
    Lease UNLIMITED = () -> true;

    /**
     * Whether the permission holds now. Workers ask before every call, so the check must be cheap.
     */
    boolean holds();
  }
}
