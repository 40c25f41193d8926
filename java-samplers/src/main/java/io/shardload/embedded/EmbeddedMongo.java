package io.shardload.embedded;

import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.backend.Index;
import de.bwaldvogel.mongo.backend.IndexKey;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.backend.memory.MemoryDatabase;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

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
}
