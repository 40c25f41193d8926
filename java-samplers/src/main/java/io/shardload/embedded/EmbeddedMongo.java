package io.shardload.embedded;

import de.bwaldvogel.mongo.MongoCollection;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.EmptyIndex;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.KeyValue;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.backend.memory.MemoryDatabase;
import de.bwaldvogel.mongo.bson.BsonRegularExpression;
import de.bwaldvogel.mongo.bson.Document;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * mongo-java-server on 127.0.0.1: a fake of MongoDB inside this JVM, in memory, for trying things
 * out and for tests of the protocol. It is not MongoDB; its figures say nothing about MongoDB.
 */
public final class EmbeddedMongo implements AutoCloseable {
  /** Its name in target files. */
  public static final String NAME = "mongodb";

  /** A short description. */
  public static final String TITLE = "mongo-java-server, a fake";

  /** A sentence that states which server replaces MongoDB. */
  public static final String FAKE =
      "mongo-java-server, a fake of MongoDB in memory: its figures say nothing about MongoDB";

  private final MongoServer server;
  private final InetSocketAddress address;

  private EmbeddedMongo(MongoServer server, InetSocketAddress address) {
    this.server = server;
    this.address = address;
  }

  /** Starts an empty server without passwords on any free port. */
  public static EmbeddedMongo start() {
    MongoServer server = new MongoServer(new Backend());
    try {
      InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      server.bind(any);
      return new EmbeddedMongo(server, server.getLocalAddress());
    } catch (RuntimeException e) {
      server.shutdownNow();
      throw new EmbeddedServerException("the embedded mongo-java-server does not start: " + e, e);
    }
  }

  /** The databases of mongo-java-server, extended with non-unique indexes. */
  private static final class Backend extends MemoryBackend {
    @Override
    public MemoryDatabase openOrCreateDatabase(String name) {
      return new MemoryDatabase(name, getCursorRegistry()) {
        @Override
        protected Index<Integer> openOrCreateSecondaryIndex(
            String collection, String index, List<IndexKey> keys, boolean sparse) {
          return new EqualityIndex(index, keys);
        }
      };
    }
  }

  /** Returns the URL of a database in the form of a target file. */
  public String url(String database) {
    return "mongodb://127.0.0.1:" + address.getPort() + "/" + database;
  }

  /** Stops the server and discards its data. */
  @Override
  public void close() {
    server.shutdownNow();
  }

  /**
   * A non-unique index, which mongo-java-server lacks and without which every find would examine
   * all documents. It serves a query that has an equality on its last key, also if each branch of
   * an {@code $or} has one; otherwise a query with an equality on its first key. The collection
   * checks every document that the index returns, so the index may return too many.
   */
  static final class EqualityIndex extends EmptyIndex<Integer> {
    private final Postings byLast;
    private final Postings byFirst;

    EqualityIndex(String name, List<IndexKey> keys) {
      super(name, keys);
      byLast = new Postings(keys.get(keys.size() - 1).getKey());
      byFirst = keys.size() == 1 ? byLast : new Postings(keys.get(0).getKey());
    }

    @Override
    public synchronized Integer getPosition(Document document) {
      return byLast.of(document).get(id(document));
    }

    @Override
    public synchronized void add(
        Document document, Integer position, MongoCollection<Integer> collection) {
      byLast.put(document, position);
      byFirst.put(document, position);
    }

    @Override
    public synchronized Integer remove(Document document) {
      Integer position = byLast.of(document).remove(id(document));
      byFirst.of(document).remove(id(document));
      return position;
    }

    @Override
    public synchronized boolean canHandle(Document query) {
      return !byLast.asked(query).isEmpty() || !byFirst.asked(query).isEmpty();
    }

    @Override
    public synchronized Iterable<Integer> getPositions(Document query) {
      Postings postings = byLast.asked(query).isEmpty() ? byFirst : byLast;
      // A separate list, because other threads write while the answer is assembled.
      return postings.asked(query).stream()
          .flatMap(value -> postings.of(value).values().stream())
          .collect(Collectors.toList());
    }

    @Override
    public void checkUpdate(Document before, Document after, MongoCollection<Integer> collection) {
      // Every possible key value must be accepted.
    }

    @Override
    public synchronized void updateInPlace(
        Document before, Document after, Integer position, MongoCollection<Integer> collection) {
      remove(before);
      add(after, position, collection);
    }

    @Override
    public synchronized long getCount() {
      return byLast.positions.values().stream().mapToLong(Map::size).sum();
    }

    private static KeyValue id(Document document) {
      return value(document.get("_id"));
    }

    private static KeyValue value(Object value) {
      return new KeyValue(Collections.singletonList(value)).normalized();
    }

    /** The positions of documents, by the value of one key and the document's _id. */
    private static final class Postings {
      final Map<KeyValue, Map<KeyValue, Integer>> positions = new HashMap<>();
      private final String key;

      /** A document was found that is not fully described by one value of the key. */
      private boolean partial;

      Postings(String key) {
        this.key = key;
        this.partial = key.contains(".");
      }

      void put(Document document, Integer position) {
        partial |= document.get(key) instanceof Collection;
        positions
            .computeIfAbsent(value(document.get(key)), unused -> new LinkedHashMap<>())
            .put(id(document), position);
      }

      Map<KeyValue, Integer> of(Document document) {
        return of(value(document.get(key)));
      }

      Map<KeyValue, Integer> of(KeyValue value) {
        return positions.getOrDefault(value, new HashMap<>());
      }

      /** The only values that a document which satisfies the query can have, or none if unknown. */
      Set<KeyValue> asked(Document query) {
        if (partial) {
          return Set.of();
        }
        if (isPlain(query.get(key))) {
          return Set.of(value(query.get(key)));
        }
        Set<KeyValue> values = new LinkedHashSet<>();
        for (Object branch : query.get("$or") instanceof Collection<?> or ? or : List.of()) {
          if (!(branch instanceof Document one) || !isPlain(one.get(key))) {
            return Set.of();
          }
          values.add(value(one.get(key)));
        }
        return values;
      }

      private static boolean isPlain(Object wanted) {
        return wanted != null
            && !(wanted instanceof Document)
            && !(wanted instanceof Collection)
            && !(wanted instanceof BsonRegularExpression);
      }
    }
  }
}
