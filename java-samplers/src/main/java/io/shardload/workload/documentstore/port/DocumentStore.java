package io.shardload.workload.documentstore.port;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import java.util.List;
import java.util.UUID;

/**
 * The workload's port: the ten transactions in the terms of the domain. Each driver implements it
 * in its own query language, one method per statement, autocommitted, and marks the phases. All
 * rows are decoded; NULL columns are null (numbers -1). Thread-safe.
 *
 * <p>List finds return at most {@link #LIMIT} rows from offset 0, in no order; the other finds
 * return at most one row.
 */
public interface DocumentStore {
  int LIMIT = 100;

  /**
   * The answer of a store without data to every find. This list object counts as one row, which is
   * not judged.
   */
  List<Document> UNJUDGED = List.of(new Document(new UUID(0, 0), "", "", 0, "", "", "", 0));

  void insert(Document document, Phases phases) throws CallFailure;

  /**
   * Changes the document if it has the given edition. So an earlier update is noticed if it was
   * lost, or if it was applied but its answer was lost.
   *
   * @param edition that the document must be at
   * @return the number of rows that were changed
   */
  long update(UUID id, String filter1, int edition, Change change, Phases phases)
      throws CallFailure;

  /** Returns the number of rows that were deleted. */
  long delete(UUID id, String filter1, Phases phases) throws CallFailure;

  List<Document> findByIdAndFilter1(UUID id, String filter1, Phases phases) throws CallFailure;

  List<Document> findByIdAndFilter2(UUID id, String filter2, Phases phases) throws CallFailure;

  List<Document> findByIdAndFilter2List(UUID id, List<String> filter2, Phases phases)
      throws CallFailure;

  List<Document> findByIdAndFilter3Lte(UUID id, long filter3, Phases phases) throws CallFailure;

  List<Document> findByIdAndFilter4List(UUID id, List<String> filter4, Phases phases)
      throws CallFailure;

  List<Document> findByIdAndFilter4AndFilter5List(
      UUID id, String filter4, List<String> filter5, Phases phases) throws CallFailure;

  List<Document> findByIdAndFilter5(UUID id, String filter5, Phases phases) throws CallFailure;
}
