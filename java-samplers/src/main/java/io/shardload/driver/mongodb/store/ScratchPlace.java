package io.shardload.driver.mongodb.store;

import com.mongodb.client.MongoDatabase;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.workload.CallFailure;
import java.util.Set;

/** A scratch database, empty, for one process. */
public record ScratchPlace(Connections connections, ScratchOwner owner) implements AutoCloseable {
  /**
   * Makes a database. What was in it is dropped.
   *
   * @param collections that will be created in it: an earlier process may have left them
   * @throws ConfigException another process uses it, it holds objects that shardload did not
   *     create, or its name is too long
   */
  public static ScratchPlace make(
      Connections connections, String suffix, Set<String> collections, Clock clock)
      throws CallFailure {
    String name = connections.databaseName() + suffix;
    if (name.length() > Connections.LONGEST_DATABASE) {
      throw new ConfigException(
          "target.url", "the database name is too long for the name of a second database, " + name);
    }
    Connections inDatabase = connections.inDatabase(name);
    try {
      MongoDatabase database = inDatabase.administrative();
      ScratchOwner owner =
          ScratchOwner.claim(database, inDatabase.session().runId(), clock, collections);
      ScratchPlace place = new ScratchPlace(inDatabase, owner);
      try {
        Failures.translate(() -> clear(database));
        return place;
      } catch (CallFailure e) {
        place.close();
        throw e;
      }
    } catch (CallFailure | RuntimeException e) {
      inDatabase.close();
      throw e;
    }
  }

  /** Drops the leftovers of a process that was killed, except the mark of the owner. */
  private static void clear(MongoDatabase database) {
    for (String collection : database.listCollectionNames()) {
      if (!collection.startsWith("system.") && !collection.equals(ScratchOwner.OWNERS)) {
        database.getCollection(collection).drop();
      }
    }
  }

  /** Drops the database; also in an interrupted thread, which the client would not let connect. */
  @Override
  public void close() throws CallFailure {
    boolean interrupted = Thread.interrupted();
    try {
      Failures.translate(() -> connections.administrative().drop());
    } finally {
      owner.close();
      connections.close();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
