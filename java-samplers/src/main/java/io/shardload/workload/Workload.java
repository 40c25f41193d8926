package io.shardload.workload;

import io.shardload.config.Options;
import java.util.List;

/** A family of transactions on one data model; found with {@link java.util.ServiceLoader}. */
public interface Workload {
  String name();

  /** Names of all transactions, in the order for lists. */
  List<String> transactions();

  /**
   * The workload with its data parameters.
   *
   * @param data section {@code workload.data}; unknown keys are refused
   */
  Model<?> model(long seed, Options data);
}
