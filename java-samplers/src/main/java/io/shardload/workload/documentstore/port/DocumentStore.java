package io.shardload.workload.documentstore.port;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import java.util.List;
import java.util.UUID;

/**
 * The workload's port: the ten transactions in the terms of the domain. Each driver implements it
 * in its own query language, one statement per call, autocommitted, and marks the phases. All rows
 * are decoded; NULL columns are null (numbers -1). Thread-safe.
 */
public interface DocumentStore {
  /** How many rows a find returns at most; some finds return one. */
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

  /** Returns rows that match, from offset 0 and in no order, up to the limit of the find. */
  List<Document> find(Query query, Phases phases) throws CallFailure;
}
