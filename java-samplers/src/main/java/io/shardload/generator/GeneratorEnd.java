package io.shardload.generator;

import com.google.gson.JsonObject;
import io.shardload.exposition.GeneratorEndpoint;
import java.time.Duration;
import java.util.Map;

/**
 * How a generator ended, for its final ledger line.
 *
 * @param stopReason {@code schedule} if the schedule was over; {@code stop} if the controller
 *     stopped it; {@code stdin-closed} if its controller is gone; {@code signal} if a signal ended
 *     the JVM; {@code threads-ended} if JMeter ended its threads; {@code ordinals-lost} if an
 *     ordinal might have been used twice; {@code lease-lost} if it no longer reached the meeting
 *     point, or the controller had abandoned it; {@code controller-lost} if its controller no
 *     longer lived; {@code generator-lost} if it was stopped because another generator was lost;
 *     {@code disk-full} if the disk was full; {@code clock-set} if the start was not the same
 *     moment for all generators, or had passed
 * @param startEpochMillis when the run's clock started
 * @param connectionsByHost connections for transactions that were opened
 * @param workersEndedEarly workers that ended before the run
 * @param workerError the error that ended the first worker, or empty
 * @param metricsError why its metrics were not served, or only partly; or empty
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
   * asked for, and not at all after an error, or if no process is left to scrape.
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
