package io.shardload.workload.documentstore.port;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * The part of a driver that creates, fills and reads the whole table; never timed as a transaction.
 */
public interface DocumentStoreAdmin {
  /**
   * Refuses what {@link #createSchema} would refuse, as far as this can be checked without creating
   * anything, and documents that do not fit into the requested schema. Changes nothing.
   *
   * @param recreate existing tables will be dropped, so they do not matter
   * @param largestBytes size of the largest document
   * @throws io.shardload.config.ConfigException the server or an existing table does not fit
   */
  default void checkSchema(boolean recreate, int largestBytes) throws CallFailure {}

  /**
   * Creates table and indexes from {@code schemas/document-store}, or checks the columns of an
   * existing table.
   *
   * @param steps receives steps that may take long, if there are any
   * @return whether anything was created
   * @throws io.shardload.config.ConfigException a table with other columns exists
   */
  boolean createSchema(Making making, Progress steps) throws CallFailure;

  /** Exact number of rows. */
  long count() throws CallFailure;

  /**
   * Writes documents through the database's own bulk path. Existing rows with the same key stay
   * unchanged, so an interrupted load can be continued.
   *
   * @param progress receives the number of documents written so far by this call
   */
  void load(Iterator<Document> documents, LongConsumer progress) throws CallFailure;

  /**
   * Called when all documents are written: updates the planner statistics.
   *
   * @param steps receives steps that may take long, if there are any
   */
  default void finishLoad(Progress steps) throws CallFailure {}

  /** Reads every row once, streaming; NULL columns are null (numbers -1). */
  void walk(Consumer<Document> visitor) throws CallFailure;

  /**
   * Divides the table into parts that can be read in parallel: every row is in exactly one part.
   * Returns one part if several would mean more work for the server.
   *
   * @param threads number of reading threads
   */
  default List<TablePart> parts(int threads) throws CallFailure {
    return List.of(this::walk);
  }

  /**
   * Reads the rows of these keys in batches, by index. A second row with the same filter1, or a row
   * with another id, is also returned if the server finds it without a scan and without a query to
   * every shard.
   */
  void read(Iterator<Key> keys, Consumer<Document> visitor) throws CallFailure;
}
