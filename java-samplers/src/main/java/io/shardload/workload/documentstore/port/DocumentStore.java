package io.shardload.workload.documentstore.port;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import java.util.List;
import java.util.UUID;

/**
 * The workload's port: the ten transactions in the words of the domain. Each driver implements it
 * in its own tongue, one place per statement, autocommitted, and marks the phases. All rows are
 * decoded; NULL columns come as null (numbers as -1). Thread-safe.
 *
 * <p>List finds return at most {@link #LIMIT} rows from offset 0, in no order; the others at most
 * one.
 */
public interface DocumentStore {
  int LIMIT = 100;

  /**
   * What a store that keeps no data answers every find with, this very list: it counts as one row,
   * which is not judged.
   */
  List<Document> UNJUDGED = List.of(new Document(new UUID(0, 0), "", "", 0, "", "", "", 0));

  void insert(Document document, Phases phases) throws CallFailure;

  /**
   * Changes the document if it is at an edition, so that an earlier update that was lost, or was
   * applied although its answer was, does not go unnoticed.
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
