package io.shardload.calibrate;

import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.DocumentStoreModel;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline.Scratch;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Compares the loader, which generates documents during the load and commits in batches, with the
 * database's own bulk path, which gets the same rows, generated beforehand, in one batch. Both load
 * into an empty table with all its indexes, and each opens a new connection.
 */
final class BulkLoad {
  private static final Goal GOAL = Goal.atLeast(0.8, "");
  private static final int MOST_DOCUMENTS = 20_000;
  private static final long MOST_BYTES = 48L << 20;
  private static final int WARM_UP_ROUNDS = 3;

  private BulkLoad() {}

  static Figure measure(TestBed testBed, DocumentStoreBaseline baseline) throws CallFailure {
    DocumentStoreModel model = (DocumentStoreModel) testBed.base().model();
    long size = model.content().at(0, 0).document().length() + 200L;
    int documents = (int) Math.max(100, Math.min(MOST_DOCUMENTS, MOST_BYTES / size));
    try (Scratch scratch = baseline.scratch()) {
      scratch.prepare(documents(model, documents).toList());
      double[] ratios = new double[testBed.rounds()];
      double loader = 0;
      double bulk = 0;
      for (int i = -WARM_UP_ROUNDS; i < ratios.length; i++) {
        testBed.progress().step("bulk load", Math.max(0, i), ratios.length, "rounds");
        double[] seconds = new double[2];
        // Alternating order, so that neither side always runs during the checkpoint that the other
        // caused.
        for (int side : i % 2 == 0 ? new int[] {0, 1} : new int[] {1, 0}) {
          scratch.empty();
          long begin = System.nanoTime();
          if (side == 0) {
            scratch.admin().load(documents(model, documents).iterator(), done -> {});
          } else {
            scratch.bulk();
          }
          seconds[side] = (System.nanoTime() - begin) / 1e9;
        }
        if (i >= 0) {
          loader += seconds[0];
          bulk += seconds[1];
          ratios[i] = seconds[1] / seconds[0];
        }
      }
      testBed.progress().step("bulk load", ratios.length, ratios.length, "rounds");
      String detail =
          String.format(
              Locale.ROOT,
              "documents/s: loader %.0f, the database's bulk path %.0f; %d documents per round",
              documents * ratios.length / loader,
              documents * ratios.length / bulk,
              documents);
      return Figure.ofRatios("bulk load: rate, loader over bulk path", GOAL, ratios, detail);
    }
  }

  private static Stream<Document> documents(DocumentStoreModel model, int number) {
    return IntStream.range(0, number).mapToObj(ordinal -> model.content().at(ordinal, 0));
  }
}
