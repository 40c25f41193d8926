package io.shardload.workload.documentstore.port;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where a server stores the documents, and how much space they use. Unknown values are -1.
 *
 * @param tableBytes the documents without indexes, on all nodes together
 * @param indexBytes by name of the index, on all nodes together
 * @param placements one per copy of a shard, or a single one for a server that is not sharded
 * @param facts other properties, such as compression or chunk ranges, by name
 */
public record Storage(
    long tableBytes,
    Map<String, Long> indexBytes,
    List<Placement> placements,
    Map<String, String> facts) {

  public Storage {
    indexBytes = new TreeMap<>(indexBytes);
    placements = List.copyOf(placements);
    facts = new TreeMap<>(facts);
  }

  /**
   * One copy of a shard.
   *
   * @param shard its name
   * @param node where it lies
   */
  public record Placement(String shard, String node, long documents, long bytes) {}
}
