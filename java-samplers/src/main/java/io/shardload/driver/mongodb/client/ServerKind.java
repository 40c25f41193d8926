package io.shardload.driver.mongodb.client;

import com.mongodb.client.MongoClient;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.BsonDocument;

/**
 * The kind of server behind MongoDB's protocol, and its capabilities.
 *
 * @param version the product's own, such as {@code 8.0.4}; {@code 1.x} for a FerretDB 1 that was
 *     built as a library, which does not know it
 */
public record ServerKind(Product product, String version) {
  /** The product. */
  public enum Product {
    /** A mongos in front of shards. */
    ROUTER("MongoDB", "router of a sharded cluster"),
    REPLICA_SET("MongoDB", "member of a replica set"),
    STANDALONE("MongoDB", "standalone"),
    FERRETDB("FerretDB", "documents in PostgreSQL"),
    AMAZON_DOCUMENTDB("Amazon DocumentDB", "a service that speaks MongoDB's protocol"),
    COSMOS_DB("Azure Cosmos DB", "a service that speaks MongoDB's protocol"),
    /** mongo-java-server, which replaces MongoDB and keeps everything in memory. */
    FAKE("mongo-java-server", "a fake of MongoDB, in memory"),
    /** Speaks the protocol, and no answer identifies the product. */
    UNKNOWN("unknown product", "speaks MongoDB's protocol");

    private final String title;
    private final String role;

    Product(String title, String role) {
      this.title = title;
      this.role = role;
    }
  }

  private static final Pattern VERSION = Pattern.compile("v?(\\d+)\\.(\\d+).*");
  private static final Pattern AMAZON_HOST =
      Pattern.compile(".*docdb(-elastic)?\\.amazonaws\\.com");
  private static final Pattern COSMOS_HOST = Pattern.compile(".*\\.cosmos\\.azure\\.com");
  private static final int NOT_SUPPORTED_BY_AMAZON = 303;

  /**
   * Asks the server. A product is named only by what it alone answers: servers imitate each other's
   * {@code buildInfo}.
   */
  public static ServerKind ask(MongoClient client) {
    BsonDocument build = Bson.ask(client, "buildInfo");
    if (build.get("ferretdb") instanceof BsonDocument second) {
      return new ServerKind(Product.FERRETDB, plain(Bson.text(second, "version")));
    }
    if (build.containsKey("ferretdbVersion")) {
      String first = Bson.text(build, "ferretdbVersion");
      return new ServerKind(
          Product.FERRETDB, VERSION.matcher(first).matches() ? plain(first) : "1.x");
    }
    return new ServerKind(product(client, build), Bson.text(build, "version"));
  }

  private static Product product(MongoClient client, BsonDocument build) {
    if (build.containsKey("_t") || hasHost(client, COSMOS_HOST)) {
      return Product.COSMOS_DB;
    }
    if (hasHost(client, AMAZON_HOST)) {
      return Product.AMAZON_DOCUMENTDB;
    }
    // Every build of MongoDB names the commit it was made from, and the modules in it.
    if (build.containsKey("gitVersion") && build.isArray("modules")) {
      return ofMongodb(Bson.ask(client, "hello"));
    }
    BsonDocument options = Bson.answer(client, "getCmdLineOpts");
    if (Bson.number(options, "code", 0) == NOT_SUPPORTED_BY_AMAZON
        && Bson.text(options, "errmsg").startsWith("Feature not supported")) {
      return Product.AMAZON_DOCUMENTDB;
    }
    // Servers of MongoDB's name their own program here.
    return Bson.text(Bson.answer(client, "serverStatus"), "process").equals("java")
        ? Product.FAKE
        : Product.UNKNOWN;
  }

  private static Product ofMongodb(BsonDocument hello) {
    if (Bson.child(hello, "internal").containsKey("documentdb_versions")) {
      // The gateway of the extension DocumentDB for PostgreSQL, which calls itself a router.
      return Product.UNKNOWN;
    }
    if (Bson.text(hello, "msg").equals("isdbgrid")) {
      return Product.ROUTER;
    }
    return hello.containsKey("setName") ? Product.REPLICA_SET : Product.STANDALONE;
  }

  private static boolean hasHost(MongoClient client, Pattern pattern) {
    return client.getClusterDescription().getServerDescriptions().stream()
        .anyMatch(
            server ->
                pattern.matcher(server.getAddress().getHost().toLowerCase(Locale.ROOT)).matches());
  }

  /** The product's name, without version. */
  public String name() {
    return product.title;
  }

  public boolean sharded() {
    return product == Product.ROUTER;
  }

  public boolean fake() {
    return product == Product.FAKE;
  }

  public boolean ferretdb() {
    return product == Product.FERRETDB;
  }

  /**
   * FerretDB 1, which has no hashed indexes, reads the whole collection for {@code $in}, ends the
   * connection that sends a 128-bit decimal, and refuses {@code maxTimeMS} with {@code distinct}.
   */
  public boolean firstFerretdb() {
    return ferretdb() && !atLeast(2, 0);
  }

  /**
   * A server of MongoDB's own, whatever its role. Only these report running operations and
   * connected clients.
   */
  public boolean mongodb() {
    return product.title.equals("MongoDB");
  }

  /** Multi-document transactions that can be committed: routers have them from 4.2 on. */
  public boolean transactions() {
    return product == Product.REPLICA_SET || (sharded() && atLeast(4, 2));
  }

  /**
   * Whether it supports read concerns, the numbers of retried writes and explain as MongoDB does.
   * FerretDB and the fake accept and ignore the first two, even a level that does not exist.
   * Explain of FerretDB 1 overlooks the filter of an update or a delete; FerretDB 2 explains only
   * finds, counts and aggregations; the fake has no explain.
   */
  public boolean complete() {
    return !fake() && !ferretdb();
  }

  /** From 7.2 on, a hashed collection always begins with one chunk per shard. */
  public boolean takesInitialChunks() {
    return sharded() && !atLeast(7, 2);
  }

  /** For messages: product, version and role. */
  public String describe() {
    return product.title + " " + version + " (" + product.role + ")";
  }

  /** Product and version alone, such as {@code FerretDB 1.24.0}. */
  public String title() {
    return product.title + " " + version;
  }

  private boolean atLeast(int major, int minor) {
    Matcher numbers = VERSION.matcher(version);
    if (!numbers.matches()) {
      return false;
    }
    int actual = Integer.parseInt(numbers.group(1));
    return actual > major || (actual == major && Integer.parseInt(numbers.group(2)) >= minor);
  }

  private static String plain(String version) {
    return version.startsWith("v") ? version.substring(1) : version;
  }
}
