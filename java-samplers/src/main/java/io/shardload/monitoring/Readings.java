package io.shardload.monitoring;

import java.util.List;
import java.util.Map;

/**
 * What a cluster reported at one time.
 *
 * @param all what was read, servers and parts in no order
 * @param refused parts that a server did not report, as {@code "db1:5432 io"}, with the reason in
 *     words
 */
public record Readings(List<Reading> all, Map<String, String> refused) {
  public Readings {
    all = List.copyOf(all);
    refused = Map.copyOf(refused);
  }
}
