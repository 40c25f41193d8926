package io.shardload.workload.documentstore.port;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Progress;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * The part of a driver that makes, fills and reads the whole table; never timed as a transaction.
 */
public interface DocumentStoreAdmin {
  /**
   * Refuses what {@link #createSchema} would refuse, as far as that can be told without making
   * anything, and documents that the schema asked for cannot hold. Only looks.
   *
   * @param recreate what is there will be dropped, and so does not count
   * @param largestBytes size of the largest document
   * @throws io.shardload.config.ConfigException the server or what is there does not fit
   */
  default void checkSchema(boolean recreate, int largestBytes) throws CallFailure {}

  /**
   * What stands where the table would and is not ours, in words: something of another kind or with
   * other columns, or documents without a header. Only looks.
   *
   * @param header whether a header of ours is beside it
   */
  default Optional<String> foreign(boolean header) throws CallFailure {
    return Optional.empty();
  }

  /**
   * Creates table and indexes from {@code schemas/document-store}, or checks the columns of the
   * table that is there.
   *
   * @param recreate drop what is there first, with the data set's own record
   * @return whether anything was created
   * @throws io.shardload.config.ConfigException a table with other columns is there
   */
  boolean createSchema(boolean recreate) throws CallFailure;

  /**
   * As {@link #createSchema(boolean)}.
   *
   * @param steps told of steps that may take long, where there are such
   */
  default boolean createSchema(boolean recreate, Progress steps) throws CallFailure {
    return createSchema(recreate);
  }

  /** Exact number of rows. */
  long count() throws CallFailure;

  /**
   * Writes documents through the database's own bulk path. What is already there under the same key
   * stays as it is, so an interrupted load can be taken up again.
   *
   * @param progress told the number of documents written so far by this call
   */
  void load(Iterator<Document> documents, LongConsumer progress) throws CallFailure;

  /** Called when all documents are written: gathers what the server plans by. */
  default void finishLoad() throws CallFailure {}

  /**
   * As {@link #finishLoad()}.
   *
   * @param steps told of steps that may take long, where there are such
   */
  default void finishLoad(Progress steps) throws CallFailure {
    finishLoad();
  }

  /** Tables of its own beside the user's, empty. */
  DocumentStoreScratch scratch() throws CallFailure;

  /** Reads every row once, streaming; NULL columns come as null (numbers as -1). */
  void walk(Consumer<Document> visitor) throws CallFailure;

  /**
   * Cuts the table into parts that can be read at the same time: every row is in exactly one. One
   * part where the server would have to work more for several.
   *
   * @param threads how many there are to read with
   */
  default List<TablePart> parts(int threads) throws CallFailure {
    return List.of(this::walk);
  }

  /**
   * Reads the rows of these keys in batches, by index. A second row with the same filter1 comes
   * too, as does one that lies under another id, where the server finds both without a scan or a
   * question to every shard.
   */
  void read(Iterator<Key> keys, Consumer<Document> visitor) throws CallFailure;
}
