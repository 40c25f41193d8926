package io.shardload.driver.mongodb.client;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.Document;

/**
 * What is at the other end of MongoDB's protocol, and what it can do.
 *
 * @param version the product's own, such as {@code 8.0.4}; {@code 1.x} for a FerretDB 1 that was
 *     built as a library, which does not know it
 */
public record ServerKind(Product product, String version) {
  /** Who answers. */
  public enum Product {
    /** A mongos in front of shards. */
    ROUTER("MongoDB", "router of a sharded cluster"),
    REPLICA_SET("MongoDB", "member of a replica set"),
    STANDALONE("MongoDB", "standalone"),
    FERRETDB("FerretDB", "documents in PostgreSQL"),
    /** mongo-java-server, which answers in MongoDB's stead and keeps everything in memory. */
    FAKE("mongo-java-server", "a fake of MongoDB, in memory");

    private final String title;
    private final String role;

    Product(String title, String role) {
      this.title = title;
      this.role = role;
    }
  }

  private static final Pattern VERSION = Pattern.compile("v?(\\d+)\\.(\\d+).*");

  /**
   * Asks the server.
   *
   * @throws com.mongodb.MongoException no answer, or a refusal
   */
  public static ServerKind ask(MongoClient client) {
    MongoDatabase admin = client.getDatabase("admin");
    Document build = admin.runCommand(new Document("buildInfo", 1));
    if (build.get("ferretdb") instanceof Document second) {
      return new ServerKind(Product.FERRETDB, plain(second.getString("version")));
    }
    if (build.containsKey("ferretdbVersion")) {
      String first = build.getString("ferretdbVersion");
      return new ServerKind(
          Product.FERRETDB, VERSION.matcher(first).matches() ? plain(first) : "1.x");
    }
    String version = build.getString("version");
    // Every build of MongoDB names the commit it was made from; the fake, which knows no hello
    // either, does not.
    if (!build.containsKey("gitVersion")) {
      return new ServerKind(Product.FAKE, version);
    }
    Document hello = admin.runCommand(new Document("hello", 1));
    if ("isdbgrid".equals(hello.get("msg"))) {
      return new ServerKind(Product.ROUTER, version);
    }
    return new ServerKind(
        hello.containsKey("setName") ? Product.REPLICA_SET : Product.STANDALONE, version);
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

  /** A server of MongoDB's own, whatever its role. */
  public boolean mongodb() {
    return !fake() && !ferretdb();
  }

  /** The fake takes hashed indexes, too, and makes ordinary ones of them. */
  public boolean hashedIndexes() {
    return !ferretdb() || atLeast(2, 0);
  }

  /**
   * Heeds read concerns and the numbers of retried writes; FerretDB 1 and the fake take and ignore
   * them.
   */
  public boolean heedsConcerns() {
    return mongodb() || (ferretdb() && atLeast(2, 0));
  }

  /** Uses an index for {@code $in}; FerretDB 1 and the fake read the whole collection. */
  public boolean findsLists() {
    return heedsConcerns();
  }

  /** Multi-document transactions that can be committed. */
  boolean transactions() {
    return product == Product.ROUTER || product == Product.REPLICA_SET;
  }

  /** The command {@code explain}. */
  public boolean explains() {
    return !fake();
  }

  /** Whether explain looks at the filter of an update or a delete; FerretDB 1 overlooks it. */
  public boolean explainsWrites() {
    return explains() && (!ferretdb() || atLeast(2, 0));
  }

  /** The command {@code currentOp} tells of running operations and connected clients. */
  public boolean listsOperations() {
    return mongodb();
  }

  /** From 7.2 on a hashed collection begins with one chunk per shard, whatever is asked. */
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
