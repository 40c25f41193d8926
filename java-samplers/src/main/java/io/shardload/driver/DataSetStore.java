package io.shardload.driver;

import io.shardload.workload.CallFailure;
import java.util.List;
import java.util.Optional;

/**
 * The data set's own record, stored next to the data: a header and, per generation, the states of
 * all ordinals in chunks. Thread-safe.
 */
public interface DataSetStore {
  /** The header, or empty if none was ever written (or its table is not there). */
  Optional<Header> header() throws CallFailure;

  /** Creates the first header, clean; fails if there is one. */
  void create(Header header) throws CallFailure;

  /**
   * Replaces the header if it still equals the expected one; false if another process was faster.
   */
  boolean replace(Header expected, Header next) throws CallFailure;

  /** Raises the high-water mark; a lower or equal one changes nothing. */
  void raiseHighWater(long highWater) throws CallFailure;

  void writeChunk(long generation, int chunk, byte[] bytes) throws CallFailure;

  /** The chunk, or empty if it was never written. */
  Optional<byte[]> readChunk(long generation, int chunk) throws CallFailure;

  /** Deletes header and chunks, if there are any: their data is about to be dropped. */
  void drop() throws CallFailure;

  /** Drops these tables or collections if they exist. */
  void dropTables(List<String> tables) throws CallFailure;

  /** Deletes the chunks of all other generations. */
  void keepOnly(long generation) throws CallFailure;
}
