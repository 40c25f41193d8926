package io.shardload.driver.mongodb.schema;

import com.mongodb.MongoCommandException;
import com.mongodb.client.MongoClient;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.workload.DataObject;
import io.shardload.workload.Progress;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Drops collections of a data set. */
public final class CollectionDrop {
  /** LockTimeout, LockBusy, ConflictingOperationInProgress: a chunk is being moved. */
  private static final Set<Integer> LOCKED = Set.of(24, 46, 117);

  private CollectionDrop() {}

  /**
   * Drops the collections that still have the same identity. While a chunk of one is being moved,
   * the server refuses the drop: it is repeated for at most this time altogether.
   *
   * @throws io.shardload.config.ConfigException the time is used up
   */
  public static void drop(
      MongoClient client,
      String database,
      List<DataObject> collections,
      Duration atMost,
      Clock clock,
      Progress steps) {
    for (DataObject collection : collections) {
      String name = collection.name().substring(collection.name().indexOf('.') + 1);
      ClusterCatalog catalog = new ClusterCatalog(client, database, name);
      SchemaBalancer patience = new SchemaBalancer(catalog, atMost, clock);
      while (catalog.object().filter(collection::same).isPresent()) {
        try {
          catalog.drop(name);
        } catch (MongoCommandException e) {
          if (!LOCKED.contains(e.getCode())) {
            throw e;
          }
          patience.pause("the cluster refused to drop it: " + Failures.firstLine(e), steps);
        }
      }
    }
  }
}
