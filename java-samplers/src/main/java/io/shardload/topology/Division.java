package io.shardload.topology;

import java.util.Map;
import java.util.TreeMap;

/**
 * How many documents each shard holds, by the server's own count; copies of a document count once.
 *
 * @param byId whether a document's id determines its shard, so that a statement with the id goes to
 *     one shard
 */
public record Division(Map<String, Long> documents, boolean byId) {
  public Division {
    documents = new TreeMap<>(documents);
  }
}
