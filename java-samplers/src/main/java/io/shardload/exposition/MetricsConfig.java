package io.shardload.exposition;

import io.shardload.config.Options;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Section {@code metrics} of the configuration: where a run serves its metrics.
 *
 * @param listen a name or address of the machine
 * @param port 0 stands for any free one
 * @param discovery where files lie by which a store finds the endpoints; empty for none
 */
public record MetricsConfig(String listen, int port, Optional<Path> discovery) {
  private static final int HIGHEST_PORT = 65535;

  /** Reads the section; unknown keys are refused. */
  public static MetricsConfig read(Options metrics) {
    MetricsConfig read =
        new MetricsConfig(
            metrics.text("listen", "127.0.0.1"),
            (int) metrics.integer("port", 0, 0, HIGHEST_PORT),
            metrics.text("discovery").map(Path::of));
    metrics.rejectUnknown();
    return read;
  }
}
