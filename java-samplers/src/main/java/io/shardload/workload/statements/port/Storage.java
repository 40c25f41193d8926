package io.shardload.workload.statements.port;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
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

  /** Over all shards, whose copies count once; empty if a server does not know its own. */
  public OptionalLong documents() {
    Map<String, Long> shards = new TreeMap<>();
    placements.forEach(at -> shards.merge(at.shard, at.documents, Math::max));
    return shards.isEmpty() || shards.containsValue(-1L)
        ? OptionalLong.empty()
        : OptionalLong.of(shards.values().stream().mapToLong(Long::longValue).sum());
  }

  /** Several tables added up, as evidence.json has them. */
  public static Map<String, Object> sum(Map<String, Storage> tables) {
    long bytes = 0;
    Map<String, Long> indexes = new TreeMap<>();
    List<Map<String, Object>> placements = new ArrayList<>();
    Map<String, String> facts = new TreeMap<>();
    for (Map.Entry<String, Storage> one : tables.entrySet()) {
      String table = one.getKey();
      Storage storage = one.getValue();
      bytes = bytes < 0 || storage.tableBytes < 0 ? -1 : bytes + storage.tableBytes;
      storage.indexBytes.forEach((index, size) -> indexes.merge(index, size, Long::sum));
      storage.facts.forEach((fact, value) -> facts.put(table + "." + fact, value));
      for (Placement at : storage.placements) {
        placements.add(
            Map.of(
                "table", table,
                "shard", at.shard,
                "node", at.node,
                "documents", at.documents,
                "bytes", at.bytes));
      }
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("table_bytes", bytes);
    json.put("index_bytes", indexes);
    json.put("placements", placements);
    json.put("facts", facts);
    return json;
  }

  /**
   * One copy of a shard.
   *
   * @param shard its name
   * @param node where it lies
   */
  public record Placement(String shard, String node, long documents, long bytes) {}
}
