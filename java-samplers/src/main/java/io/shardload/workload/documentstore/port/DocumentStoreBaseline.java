package io.shardload.workload.documentstore.port;

import io.shardload.workload.CallFailure;
import java.util.List;

/**
 * What a driver offers for comparison with the harness: the client library used by hand, and the
 * server's own account. Only the verb {@code calibrate} asks for it; drivers may do without.
 */
public interface DocumentStoreBaseline {
  /** What {@link #pointReads} returns when the server keeps no such count. */
  long NOT_TOLD = -1;

  /**
   * A store whose {@code findByIdAndFilter1} is what one would write by hand in a loop: the same
   * pool, the same statement, the row decoded, and nothing else.
   */
  DocumentStore plain();

  /**
   * How many searches in the documents' table the server has counted in its life, by its own
   * statistics: a find by the whole key is exactly one. Connections may hand their part over only
   * when they close. {@link #NOT_TOLD} if it does not count them.
   */
  long pointReads() throws CallFailure;

  /** Tables of its own, beside the user's; as {@link DocumentStoreScratch}. */
  Scratch scratch() throws CallFailure;

  /** A place to load documents into. */
  interface Scratch extends DocumentStoreScratch {
    /** Makes these documents ready for {@link #bulk}, as the database's bulk path takes them. */
    void prepare(List<Document> documents);

    /** Writes the prepared documents through the database's bulk path, all in one go. */
    void bulk() throws CallFailure;

    /**
     * Reads every row to this client by the database's own means, on one connection and without
     * decoding it.
     *
     * @return how many there are
     */
    long scan() throws CallFailure;

    /** Removes all rows. */
    void empty() throws CallFailure;
  }
}
