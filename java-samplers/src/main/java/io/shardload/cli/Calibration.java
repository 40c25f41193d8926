package io.shardload.cli;

import com.google.gson.JsonObject;
import io.shardload.driver.Target;
import io.shardload.load.RunConfig;

/** Measures what the harness itself costs. */
final class Calibration {
  private Calibration() {}

  static JsonObject run(RunConfig config, JsonObject request, Target target, Listener listener) {
    throw new UnsupportedOperationException("calibrate");
  }
}
