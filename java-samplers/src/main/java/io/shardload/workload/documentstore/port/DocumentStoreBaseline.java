package io.shardload.workload.documentstore.port;

import io.shardload.workload.CallFailure;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a driver offers for comparison with the harness: direct use of the client library, and the
 * server's own count. Only the verb {@code calibrate} uses it; it is optional for drivers.
 */
public interface DocumentStoreBaseline {
  /**
   * A store whose {@link Find#BY_ID_AND_FILTER1} is a hand-written loop body: the same pool, the
   * same statement, the decoded row, and nothing else. It is not called for other finds.
   */
  DocumentStore plain();

  /**
   * How many searches in the documents' table the server has counted: a find by the whole key is
   * exactly one. Connections may report their part only when they close. Empty if the server does
   * not count all of them.
   */
  OptionalLong pointReads() throws CallFailure;

  /** Scratch tables next to the user's tables. */
  Scratch scratch() throws CallFailure;

  /** A place to load documents into. */
  interface Scratch extends AutoCloseable {
    /** The loader of real loads, on the scratch tables; the schema has been created. */
    DocumentStoreAdmin admin();

    /** The store of real runs, on the scratch tables. */
    DocumentStore store();

    /** Prepares these documents for {@link #bulk}, in the format of the database's bulk path. */
    void prepare(List<Document> documents);

    /** Writes the prepared documents through the database's bulk path, in one batch. */
    void bulk() throws CallFailure;

    /** Removes all rows. */
    void empty() throws CallFailure;

    /** Drops the tables. */
    @Override
    void close() throws CallFailure;
  }
}
