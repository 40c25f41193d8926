package io.shardload.embedded;

import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.backend.EmptyIndex;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.KeyValue;
import de.bwaldvogel.mongo.bson.BsonRegularExpression;
import de.bwaldvogel.mongo.bson.Document;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What mongo-java-server lacks: an index that is not unique. It serves equality on its first key
 * and leaves the rest of a query to the collection, which looks at every document it is given.
 * Without it every find would look at all documents.
 */
final class LeadingKeyIndex extends EmptyIndex<Integer> {
  private static final String ID = "_id";

  private final String key;
  private final Map<KeyValue, Map<KeyValue, Integer>> positions = new HashMap<>();

  /** A document has been seen that one value of the key does not tell everything about. */
  private boolean partial;

  LeadingKeyIndex(String name, List<IndexKey> keys) {
    super(name, keys);
    this.key = keys.get(0).getKey();
    this.partial = key.contains(".");
  }

  @Override
  public synchronized Integer getPosition(Document document) {
    return positions.getOrDefault(value(document, key), Map.of()).get(value(document, ID));
  }

  @Override
  public synchronized void add(
      Document document, Integer position, MongoCollection<Integer> collection) {
    partial |= document.get(key) instanceof Collection;
    positions
        .computeIfAbsent(value(document, key), unused -> new LinkedHashMap<>())
        .put(value(document, ID), position);
  }

  @Override
  public synchronized Integer remove(Document document) {
    return positions
        .getOrDefault(value(document, key), new HashMap<>())
        .remove(value(document, ID));
  }

  @Override
  public synchronized boolean canHandle(Document query) {
    Object wanted = query.get(key);
    return !partial
        && wanted != null
        && !(wanted instanceof Document)
        && !(wanted instanceof Collection)
        && !(wanted instanceof BsonRegularExpression);
  }

  @Override
  public synchronized Iterable<Integer> getPositions(Document query) {
    // A copy, because others write while the answer is put together.
    return List.copyOf(positions.getOrDefault(value(query, key), Map.of()).values());
  }

  @Override
  public void checkUpdate(Document before, Document after, MongoCollection<Integer> collection) {
    // Nothing that the key could be may be refused.
  }

  @Override
  public synchronized void updateInPlace(
      Document before, Document after, Integer position, MongoCollection<Integer> collection) {
    if (!value(before, key).equals(value(after, key))) {
      remove(before);
      add(after, position, collection);
    }
  }

  @Override
  public synchronized long getCount() {
    return positions.values().stream().mapToLong(Map::size).sum();
  }

  private static KeyValue value(Document document, String key) {
    return new KeyValue(Collections.singletonList(document.get(key))).normalized();
  }
}
