package io.shardload.driver.mongodb.facts;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.ReadConcern;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoDatabase;
import com.mongodb.connection.ServerDescription;
import io.shardload.driver.Session;
import io.shardload.driver.Waits;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.PoolEvents;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.workload.CallFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.bson.Document;

/**
 * What must have ended before documents are read: the clients that are connected to the servers of
 * the cluster, as far as these list them, and writes that no majority holds yet.
 */
public final class ConnectedClients {
  private static final int UNAUTHORIZED = 13;

  private final Connections connections;
  private final ServerKind kind;
  private final Set<String> unreached = new TreeSet<>();

  /** What this user may not list, as text. */
  private final Set<String> withheld = new TreeSet<>();

  public ConnectedClients(Connections connections, ServerKind kind) {
    this.connections = connections;
    this.kind = kind;
  }

  /**
   * Waits until no client of an application is connected. FerretDB 1.24 always answers {@code
   * currentOp} with an empty list, and mongo-java-server does not support it: there the wait lasts
   * the statement timeout, and {@link #quiescenceCaveat} reports this with the result. The same
   * applies after the checks if this user may not see everything.
   */
  public boolean awaitDisconnected(String applicationName, Duration atMost) throws CallFailure {
    try {
      if (!kind.mongodb()) {
        return waitStatementTimeout(atMost);
      }
      return Waits.<MongoException>untilNone(atMost, () -> anybody(applicationName))
          && (withheld.isEmpty() || waitStatementTimeout(atMost));
    } catch (MongoException e) {
      throw Failures.ofStatement(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Returns when reads with {@code majority} show all that the primaries show now, if these are the
   * reads of verification. Otherwise a write without an acknowledgement would be settled as one
   * without effect, and would appear later.
   *
   * @throws CallFailure the statement timeout has passed
   */
  public void awaitMajority() throws CallFailure {
    if (connections.settings().showingAcknowledged().equals(ReadConcern.MAJORITY)) {
      Failures.translate(this::readAll);
    }
  }

  private void readAll() {
    MongoDatabase database = connections.record();
    long timeoutMillis = connections.session().statementTimeout().toMillis();
    // Its reads with majority wait for the time of the latest write that its other reads saw.
    try (ClientSession session = connections.recordClient().startSession()) {
      List<String> collections =
          database
              .listCollectionNames()
              .filter(new Document("type", "collection"))
              .into(new ArrayList<>());
      // Those of views and of the profiler, which no user of a run may read.
      collections.removeIf(name -> name.startsWith("system."));
      for (ReadConcern concern : List.of(ReadConcern.LOCAL, ReadConcern.MAJORITY)) {
        for (String collection : collections) {
          // Without a filter, so from each shard that holds a part.
          database
              .withReadConcern(concern)
              .getCollection(collection)
              .find(session)
              .projection(new Document("_id", 1))
              .maxTime(timeoutMillis, TimeUnit.MILLISECONDS)
              .first();
        }
      }
    }
  }

  /** By then every sent statement has ended, if the server enforces its time limit. */
  private boolean waitStatementTimeout(Duration atMost) throws InterruptedException {
    Duration wait = connections.session().statementTimeout();
    Thread.sleep(Math.min(wait.toMillis(), atMost.toMillis()));
    return wait.compareTo(atMost) <= 0;
  }

  /** What the wait cannot see. */
  public String quiescenceCaveat() {
    String waited =
        ", so verification waited only for the statement timeout (%d ms) before it read the documents"
            .formatted(connections.session().statementTimeout().toMillis());
    if (!kind.mongodb()) {
      return kind.title() + " does not list connected clients" + waited;
    }
    List<String> caveats = new ArrayList<>();
    if (!unreached.isEmpty()) {
      String hosts = String.join(", ", unreached);
      caveats.add("the clients connected to " + hosts + " could not be listed");
    }
    if (!withheld.isEmpty()) {
      caveats.add(
          "this user may not list %s (the role clusterMonitor on admin allows it)%s"
              .formatted(String.join(" or ", withheld), waited));
    }
    return String.join("; ", caveats);
  }

  /**
   * Idle connections count, too: a connected client may write again. Only those of the hosts
   * themselves: a shard lists a router's idle connections under the last client that used them. A
   * host that is down is skipped, and {@link #quiescenceCaveat} names it.
   */
  private boolean anybody(String applicationName) {
    Set<String> hosts = members();
    unreached.clear();
    withheld.clear();
    for (String host : hosts) {
      try (MongoClient client = connections.direct(host)) {
        if (connected(client, applicationName, kind.sharded())
            // Operations that a router started on the shards continue there.
            || (kind.sharded() && connected(client, applicationName, false))) {
          return true;
        }
      } catch (MongoTimeoutException e) {
        unreached.add(host);
        if (unreached.size() == hosts.size()) {
          throw e;
        }
      }
    }
    return false;
  }

  /**
   * The hosts of the URL, and those that they name: a URL need not name all of a replica set. Those
   * that take no statements, such as arbiters, are not asked, and would not answer.
   */
  private Set<String> members() {
    Set<String> all = new LinkedHashSet<>(connections.hosts());
    for (ServerDescription server :
        connections.recordClient().getClusterDescription().getServerDescriptions()) {
      String host = server.getAddress().toString();
      if (PoolEvents.takesStatements(server)) {
        all.add(host);
      } else if (server.isOk()) {
        all.remove(host);
      }
    }
    return all;
  }

  /**
   * A router lists operations on the shards, including the user's own, only for privileged users.
   */
  private boolean connected(MongoClient client, String applicationName, boolean local) {
    boolean ofShards = kind.sharded() && !local;
    Document match = new Document("appName", applicationName);
    try {
      return operation(client, local, !ofShards, match).isPresent();
    } catch (MongoCommandException e) {
      requireUnauthorized(e);
      withheld.add(
          ofShards ? "the operations on the shards" : "the clients connected to the server");
      return false;
    }
  }

  /**
   * Any operation that matches. Only privileged users may list operations of other users; the
   * generators' operations belong to this user.
   *
   * @param local of the host itself, and not those on shards behind it
   * @param idle with connections that do nothing
   */
  private static Optional<Document> operation(
      MongoClient client, boolean local, boolean idle, Document match) {
    Document options =
        new Document("allUsers", true)
            .append("idleConnections", idle)
            .append("idleSessions", false);
    if (local) {
      options.append("localOps", true);
    }
    try {
      return operation(client, options, match);
    } catch (MongoCommandException e) {
      requireUnauthorized(e);
      return operation(client, options.append("allUsers", false), match);
    }
  }

  private static void requireUnauthorized(MongoCommandException e) {
    if (e.getErrorCode() != UNAUTHORIZED) {
      throw e;
    }
  }

  private static Optional<Document> operation(
      MongoClient client, Document options, Document match) {
    return Optional.ofNullable(
        client
            .getDatabase("admin")
            // The only concern that this stage takes.
            .withReadConcern(ReadConcern.LOCAL)
            .aggregate(
                List.of(
                    new Document("$currentOp", options),
                    new Document("$match", match),
                    new Document("$limit", 1)))
            .first());
  }

  /**
   * Any run of others that uses the database; hosts that are down are not asked. Connections belong
   * to no database, so of an idle one only the name is known: it counts if it is the name of the
   * run that made the data set dirty. Of other runs, operations on the database count. What this
   * user may not list does not count: then only the header does.
   */
  public Optional<String> otherRun(String dirtyRun) throws CallFailure {
    if (!kind.mongodb()) {
      return Optional.empty();
    }
    return Failures.translated(() -> anyOther(ofOthers(dirtyRun)));
  }

  private Optional<String> anyOther(Document match) {
    for (String host : members()) {
      // The clients are connected to the router, not to the shards.
      try (MongoClient client = connections.direct(host)) {
        Optional<Document> found = operation(client, kind.sharded(), true, match);
        if (found.isPresent()) {
          return found.map(one -> Session.runOf(one.getString("appName")));
        }
      } catch (MongoTimeoutException e) {
        // It is down.
      } catch (MongoCommandException e) {
        requireUnauthorized(e);
      }
    }
    return Optional.empty();
  }

  private Document ofOthers(String dirtyRun) {
    Document working =
        new Document("appName", Pattern.compile(Session.APPLICATIONS))
            .append("ns", Pattern.compile("^" + Pattern.quote(connections.databaseName() + ".")));
    Session dirty = new Session(dirtyRun, 1, Duration.ZERO);
    List<String> ofDirty = List.of(dirty.applicationName(), dirty.asController().applicationName());
    Document connected = new Document("appName", new Document("$in", ofDirty));
    Document others =
        new Document("appName", new Document("$ne", connections.session().applicationName()));
    return new Document("$and", List.of(others, new Document("$or", List.of(connected, working))));
  }
}
