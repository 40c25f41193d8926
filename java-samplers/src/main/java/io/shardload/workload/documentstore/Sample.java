package io.shardload.workload.documentstore;

import io.shardload.data.Bits;
import io.shardload.workload.documentstore.port.Document;
import java.util.List;

/**
 * Which row of an answer is compared in full with what its ordinal and edition make, whether it is
 * stale or not and whoever owns it. A seeded draw decides.
 *
 * <p>Making a document again costs about a nanosecond per byte, on the cores of the generator. So
 * small documents are compared in every find and larger ones in a share of the finds, such that a
 * find compares at most {@link #BYTES} bytes on average.
 *
 * @param draw any number
 */
record Sample(Documents documents, long draw) {
  private static final long BYTES = 512;

  /** False if the row of the sample, if any, is not what it should be. */
  boolean isRight(List<Document> rows) {
    if (rows.isEmpty() || Bits.bounded(draw, documents.largestBytes()) >= BYTES) {
      return true;
    }
    Document row = rows.get((int) Bits.bounded(Bits.mix(draw), rows.size()));
    long ordinal = documents.ordinalOf(row.filter1());
    return ordinal >= 0 && row.equals(documents.at(ordinal, row.edition()));
  }
}
