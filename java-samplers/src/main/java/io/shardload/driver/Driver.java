package io.shardload.driver;

import io.shardload.config.Options;

/** A wire protocol; found with {@link java.util.ServiceLoader}. */
public interface Driver {
  String name();

  /** Checks options and URL without connecting. */
  void check(TargetConfig target);

  /**
   * Connects. Once per JVM, never per thread.
   *
   * @throws io.shardload.config.ConfigException unreachable, refused, or not what was asked for
   */
  Target open(TargetConfig target, Session session);

  /** The options a target file may set, read and checked; unknown ones are refused. */
  static Options options(TargetConfig target) {
    return new Options("target.options", target.options());
  }

  /** How tables and indexes are to be made, read and checked; unknown keys are refused. */
  static Options schema(TargetConfig target) {
    return new Options("schema", target.schema());
  }
}
