package io.shardload.monitoring;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

  /** What the sheets of all servers say; of one server that has several only the first. */
  public static Readings of(List<Sheet> sheets) {
    List<Reading> all = new ArrayList<>();
    Map<String, String> refused = new HashMap<>();
    Set<String> servers = new HashSet<>();
    for (Sheet sheet : sheets) {
      if (servers.add(sheet.server())) {
        all.addAll(sheet.readings());
        refused.putAll(sheet.refused());
      }
    }
    return new Readings(all, refused);
  }
}
