package io.shardload.driver.mongodb.statements;

import com.mongodb.ErrorCategory;
import com.mongodb.MongoBulkWriteException;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.InsertManyOptions;
import io.shardload.driver.ParallelLoad;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.port.TableRows;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.types.ObjectId;

/**
 * Loads rows as documents by unordered bulk inserts, a few batches at the same time.
 *
 * <p>A row without a column {@code _id} gets an ObjectId that follows from its number. So an
 * interrupted load can be continued: the server refuses the existing documents, and they stay. A
 * document that it refuses for another unique index fails the load.
 */
record RowInserts(MongoCollection<BsonDocument> collection) {
  private static final int BATCH_ROWS = 1_000;

  /**
   * Size of one insert's documents. Far below the 48 MB that a message of the protocol may have, so
   * that the client need not cut it, and few enough that all writers together hold 32 MiB.
   */
  static final long BATCH_BYTES = 8L << 20;

  private static final int WRITERS = 4;
  private static final InsertManyOptions UNORDERED = new InsertManyOptions().ordered(false);
  private static final String ID = "_id";

  void load(TableRows rows, long from, long end, LongConsumer progress) throws CallFailure {
    new ParallelLoad(from, end, BATCH_ROWS, WRITERS, progress)
        .run(pieces -> Failures.translate(() -> write(rows, end, pieces)));
  }

  private void write(TableRows rows, long end, ParallelLoad pieces) {
    for (long at = pieces.take(); at < end; at = pieces.take()) {
      long last = Math.min(end, at + BATCH_ROWS);
      batches(rows, at, last, this::insert);
      pieces.written(last - at);
    }
  }

  /**
   * Makes documents and hands them on in batches of at most {@link #BATCH_BYTES}; one that is
   * larger goes alone.
   */
  static void batches(
      TableRows rows, long from, long end, Consumer<List<RawBsonDocument>> batches) {
    List<RawBsonDocument> batch = new ArrayList<>();
    long bytes = 0;
    for (long number = from; number < end; number++) {
      RawBsonDocument document = encoded(rows, number);
      long size = document.getByteBuffer().remaining();
      if (!batch.isEmpty() && bytes + size > BATCH_BYTES) {
        batches.accept(batch);
        batch = new ArrayList<>();
        bytes = 0;
      }
      batch.add(document);
      bytes += size;
    }
    if (!batch.isEmpty()) {
      batches.accept(batch);
    }
  }

  private void insert(List<RawBsonDocument> batch) {
    try {
      collection.withDocumentClass(RawBsonDocument.class).insertMany(batch, UNORDERED);
    } catch (MongoBulkWriteException e) {
      if (e.getWriteConcernError() != null || !allThere(e, batch)) {
        throw e;
      }
    }
  }

  /** Whether each refused document already exists: then an earlier attempt inserted it. */
  private boolean allThere(MongoBulkWriteException e, List<RawBsonDocument> batch) {
    for (BulkWriteError error : e.getWriteErrors()) {
      if (error.getCategory() != ErrorCategory.DUPLICATE_KEY) {
        return false;
      }
      BsonDocument wanted = new BsonDocument(ID, batch.get(error.getIndex()).get(ID));
      if (collection.find(wanted).projection(new BsonDocument(ID, new BsonInt32(1))).first()
          == null) {
        return false;
      }
    }
    return true;
  }

  /** The document of a row as it is sent. */
  static RawBsonDocument encoded(TableRows rows, long number) {
    return new RawBsonDocument(document(rows, number), new BsonDocumentCodec());
  }

  /** The document of a row. */
  static BsonDocument document(TableRows rows, long number) {
    List<String> columns = rows.columns();
    Object[] values = rows.row(number);
    BsonDocument document = new BsonDocument(columns.size() * 2 + 2);
    if (!columns.contains(ID)) {
      document.put(ID, new BsonObjectId(id(number)));
    }
    for (int i = 0; i < values.length; i++) {
      document.put(columns.get(i), Values.bson(values[i]));
    }
    return document;
  }

  /** An ObjectId of the time 0, so that it equals none that a client makes during a run. */
  static ObjectId id(long number) {
    return new ObjectId(ByteBuffer.allocate(12).putInt(0).putLong(number).flip());
  }
}
