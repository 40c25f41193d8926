package io.shardload.driver.mongodb.store;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.Updates;
import io.shardload.Daemons;
import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.workload.CallFailure;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.bson.Document;

/**
 * The right to use the scratch database, for one process at a time, and the mark that shardload
 * created the database: a collection of owners, in which the highest {@code _id} counts. The
 * process that inserts the next {@code _id} first becomes the owner, which works on every server.
 * An owner names the collections that it makes, and counts its heartbeats; an owner without a
 * heartbeat for a while was killed.
 */
final class ScratchOwner implements AutoCloseable {
  /** The collection of the mark. */
  static final String OWNERS = "shardload_owner";

  private static final Duration BEAT_EVERY = Duration.ofSeconds(2);
  private static final Duration LOOK_EVERY = Duration.ofMillis(500);

  /** A busy machine may miss some beats. */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private final MongoCollection<Document> owners;
  private final long number;
  private final ScheduledExecutorService beats =
      Executors.newSingleThreadScheduledExecutor(Daemons.named("shardload-scratch"));

  private ScratchOwner(MongoCollection<Document> owners, long number) {
    this.owners = owners;
    this.number = number;
    long millis = BEAT_EVERY.toMillis();
    var unused = beats.scheduleWithFixedDelay(this::beat, millis, millis, TimeUnit.MILLISECONDS);
  }

  /**
   * Checks whether the existing collections may be dropped, then takes ownership of the database.
   *
   * @throws ConfigException another process uses it, or it holds objects that shardload did not
   *     create
   */
  static ScratchOwner claim(MongoDatabase database, String run, Clock clock, Set<String> makes)
      throws CallFailure {
    MongoCollection<Document> owners = database.getCollection(OWNERS);
    try {
      Document last = latest(owners);
      refuseForeign(database, owners);
      if (last != null) {
        refuseWhileItBeats(owners, last, clock);
      }
      long number = last == null ? 0 : last.getLong("_id") + 1;
      owners.insertOne(
          new Document("_id", number)
              .append("run", run)
              .append("makes", makes.stream().sorted().toList())
              .append("beats", 0L));
      return new ScratchOwner(owners, number);
    } catch (MongoException e) {
      CallFailure failure = Failures.ofStatement(e);
      if (failure.kind().equals(CallFailure.DUPLICATE_KEY)) {
        throw inUse(owners, "another run");
      }
      throw failure;
    }
  }

  /** Refuses what none of the owners so far may have left. */
  private static void refuseForeign(MongoDatabase database, MongoCollection<Document> owners) {
    Set<String> made = new HashSet<>();
    for (Document owner : owners.find()) {
      made.add(OWNERS);
      made.addAll(owner.getList("makes", String.class, List.of()));
    }
    for (String name : database.listCollectionNames()) {
      if (!name.startsWith("system.") && !made.contains(name)) {
        throw new ConfigException(
            "target.url",
            "database %s holds collection %s, which shardload did not make; drop it by hand, or use another database"
                .formatted(database.getName(), name));
      }
    }
  }

  private static void refuseWhileItBeats(
      MongoCollection<Document> owners, Document last, Clock clock) throws CallFailure {
    long deadline = clock.nanoTime() + PATIENCE.toNanos();
    while (clock.nanoTime() < deadline) {
      try {
        clock.sleepUntil(clock.nanoTime() + LOOK_EVERY.toNanos());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CallFailure("interrupted", true, false, "interrupted while looking for an owner");
      }
      Document now = latest(owners);
      if (now == null) {
        return;
      }
      if (!now.equals(last)) {
        throw inUse(owners, "run " + now.getString("run"));
      }
    }
  }

  private static ConfigException inUse(MongoCollection<Document> owners, String who) {
    return new ConfigException(
        "target.url",
        "%s is using database %s right now; wait until it ends"
            .formatted(who, owners.getNamespace().getDatabaseName()));
  }

  private static Document latest(MongoCollection<Document> owners) {
    return owners.find().sort(Sorts.descending("_id")).first();
  }

  void beat() {
    try {
      owners.updateOne(Filters.eq("_id", number), Updates.inc("beats", 1L));
    } catch (MongoException e) {
      // The next beat may come through; if none does, the work itself fails too.
    }
  }

  /** Ends the beats; the mark goes with the database. */
  @Override
  public void close() {
    beats.shutdownNow();
  }
}
