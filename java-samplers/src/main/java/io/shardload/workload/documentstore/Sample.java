package io.shardload.workload.documentstore;

import io.shardload.data.Bits;
import io.shardload.workload.documentstore.port.Document;
import java.util.List;

/**
 * Chooses the row of an answer whose content is compared in full with the content for its ordinal
 * and edition, no matter whether it is stale or which generator owns it. A seeded draw decides.
 *
 * <p>Generating a document again costs about a nanosecond per byte on the generator's cores. So
 * small documents are compared in every find, and larger documents in a share of the finds: a find
 * compares at most {@link #BYTES} bytes on average.
 *
 * @param draw any number
 */
record Sample(Documents documents, long draw) {
  private static final long BYTES = 512;

  /** False if there is a row to compare and it is wrong. */
  boolean isRight(List<Document> rows) {
    if (rows.isEmpty() || Bits.bounded(draw, documents.largestBytes()) >= BYTES) {
      return true;
    }
    Document row = rows.get((int) Bits.bounded(Bits.mix(draw), rows.size()));
    long ordinal = documents.ordinalOf(row.filter1());
    return ordinal >= 0 && row.equals(documents.at(ordinal, row.edition()));
  }
}
