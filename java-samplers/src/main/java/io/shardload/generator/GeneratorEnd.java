package io.shardload.generator;

import com.google.gson.JsonObject;
import io.shardload.exposition.GeneratorEndpoint;
import java.time.Duration;
import java.util.Map;

/**
 * How a generator ended, for its final ledger line.
 *
 * @param stopReason {@code schedule} if the schedule was over; {@code stop} if it was told to;
 *     {@code stdin-closed} if its controller is gone; {@code signal} if the JVM was told to end;
 *     {@code threads-ended} if JMeter ended its threads; {@code ordinals-lost} if an ordinal might
 *     have been used twice; {@code lease-lost} if it no longer reached the meeting point, or was
 *     given up there; {@code controller-lost} if its controller no longer lived; {@code
 *     generator-lost} if it was told to stop because another one was lost; {@code disk-full} if its
 *     files had no room
 * @param startEpochMillis when the run's clock started
 * @param connectionsByHost connections for transactions that were opened
 * @param workersEndedEarly workers that did not come to the end of the run
 * @param workerError what the first worker that died died of, or empty
 * @param metricsError why its metrics were not served, or only in part; or empty
 */
record GeneratorEnd(
    String stopReason,
    long startEpochMillis,
    Map<String, Long> connectionsByHost,
    int workersEndedEarly,
    String workerError,
    String metricsError) {
  static final String BY_SCHEDULE = "schedule";
  static final String STOP = "stop";

  /** Two scrapes of a store that scrapes each second. */
  private static final Duration AFTER_STOP = Duration.ofSeconds(2);

  /**
   * How long to wait for the last scrape of the metrics: briefly after a stop that the controller
   * asked for, and not at all where something went wrong or nobody is left.
   */
  static Duration mostWait(String stopReason) {
    return switch (stopReason) {
      case BY_SCHEDULE -> GeneratorEndpoint.LAST_SCRAPE;
      case STOP -> AFTER_STOP;
      default -> Duration.ZERO;
    };
  }

  void addTo(JsonObject line) {
    line.addProperty("final", true);
    line.addProperty("stop_reason", stopReason);
    line.addProperty("start_epoch_ms", startEpochMillis);
    line.addProperty("workers_ended_early", workersEndedEarly);
    if (!workerError.isEmpty()) {
      line.addProperty("worker_error", workerError);
    }
    if (!metricsError.isEmpty()) {
      line.addProperty("metrics_error", metricsError);
    }
    JsonObject connections = new JsonObject();
    connectionsByHost.forEach(connections::addProperty);
    line.add("connections", connections);
  }
}
