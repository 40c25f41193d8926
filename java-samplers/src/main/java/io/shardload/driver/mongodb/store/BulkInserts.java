package io.shardload.driver.mongodb.store;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoException;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import io.shardload.Daemons;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.port.Document;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;

/**
 * Loads documents by unordered bulk inserts. A few batches are on their way at the same time, while
 * the calling thread makes the next one; they count in their order, so that the number reported is
 * always that of a gapless beginning.
 *
 * <p>The server refuses existing documents one by one, and they stay unchanged: so an interrupted
 * load can be continued.
 */
record BulkInserts(MongoCollection<Document> collection) {
  private static final int BATCH_ROWS = 1_000;
  private static final int BATCH_BYTES = 4 << 20;

  /** Fields other than the text, names included. */
  private static final int ROW_BYTES = 300;

  private static final int WRITERS = 4;
  private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);

  void load(Iterator<Document> documents, LongConsumer progress) throws CallFailure {
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS, Daemons.named("load-writer"));
    try {
      Deque<Future<Integer>> underWay = new ArrayDeque<>();
      long done = 0;
      while (documents.hasNext() || !underWay.isEmpty()) {
        while (documents.hasNext() && underWay.size() < WRITERS) {
          List<Document> batch = batch(documents);
          underWay.add(writers.submit(() -> write(batch)));
        }
        done += underWay.remove().get();
        progress.accept(done);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CallFailure("interrupted", false, false, "the load was interrupted");
    } catch (ExecutionException e) {
      if (e.getCause() instanceof MongoException failure) {
        throw Failures.ofStatement(failure);
      }
      throw new IllegalStateException("cannot write documents", e.getCause());
    } finally {
      writers.shutdownNow();
    }
  }

  private static List<Document> batch(Iterator<Document> documents) {
    List<Document> batch = new ArrayList<>();
    int bytes = 0;
    while (batch.size() < BATCH_ROWS && bytes < BATCH_BYTES && documents.hasNext()) {
      Document next = documents.next();
      batch.add(next);
      bytes += ROW_BYTES + next.document().length();
    }
    return batch;
  }

  private int write(List<Document> batch) {
    try {
      collection.insertMany(batch, UNORDERED);
    } catch (MongoBulkWriteException e) {
      boolean allThere =
          e.getWriteErrors().stream()
              .allMatch(error -> error.getCategory() == ErrorCategory.DUPLICATE_KEY);
      if (!allThere || e.getWriteConcernError() != null) {
        throw e;
      }
    }
    return batch.size();
  }
}
