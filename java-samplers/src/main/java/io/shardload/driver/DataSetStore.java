package io.shardload.driver;

import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import java.util.List;
import java.util.Map;
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

  /**
   * The existing tables or collections with these names, by name, as a statement would find them.
   */
  Map<String, DataObject> look(List<String> names) throws CallFailure;

  /** A clause on how an identity may deceive; empty if it cannot. */
  default String weakness(DataObject object) {
    return "";
  }

  /** Whether a table or collection has no row. */
  boolean empty(DataObject table) throws CallFailure;

  /**
   * What a drop of these objects would take with it although it is not one of them, in words: such
   * as partitions that somebody attached.
   */
  default List<String> attached(List<DataObject> objects) throws CallFailure {
    return List.of();
  }

  /** Deletes the chunks of all other generations. */
  void keepOnly(long generation) throws CallFailure;
}
