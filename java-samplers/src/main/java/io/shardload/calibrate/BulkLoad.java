package io.shardload.calibrate;

import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.DocumentStoreModel;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline.Scratch;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

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

  static List<Figure> measure(TestBed testBed, DocumentStoreBaseline baseline) throws CallFailure {
    DocumentStoreModel model = (DocumentStoreModel) testBed.base().model();
    int documents = documents(model);
    try (Scratch scratch = baseline.scratch()) {
      scratch.prepare(stream(model, documents));
      double[] ratios = new double[testBed.rounds()];
      double ours = 0;
      double bulk = 0;
      for (int i = -WARM_UP_ROUNDS; i < ratios.length; i++) {
        testBed.progress().step("bulk load", Math.max(0, i), ratios.length, "rounds");
        // Alternating order, so that neither side always runs during the checkpoint that the other
        // caused.
        double first = i % 2 == 0 ? load(scratch, model, documents) : copy(scratch);
        double second = i % 2 == 0 ? copy(scratch) : load(scratch, model, documents);
        if (i >= 0) {
          ours += i % 2 == 0 ? first : second;
          bulk += i % 2 == 0 ? second : first;
          ratios[i] = i % 2 == 0 ? second / first : first / second;
        }
      }
      testBed.progress().step("bulk load", ratios.length, ratios.length, "rounds");
      String detail =
          String.format(
              Locale.ROOT,
              "documents/s: loader %.0f, the database's bulk path %.0f; %d documents per round",
              documents * ratios.length / ours,
              documents * ratios.length / bulk,
              documents);
      return List.of(
          Figure.ofRatios("bulk load: rate, loader over bulk path", GOAL, ratios, detail));
    }
  }

  private static int documents(DocumentStoreModel model) {
    long size = model.content().at(0, 0).document().length() + 200L;
    return (int) Math.max(100, Math.min(MOST_DOCUMENTS, MOST_BYTES / size));
  }

  private static List<Document> stream(DocumentStoreModel model, int documents) {
    return IntStream.range(0, documents).mapToObj(o -> model.content().at(o, 0)).toList();
  }

  private static double load(Scratch scratch, DocumentStoreModel model, int documents)
      throws CallFailure {
    scratch.empty();
    long begin = System.nanoTime();
    scratch
        .admin()
        .load(
            IntStream.range(0, documents).mapToObj(o -> model.content().at(o, 0)).iterator(),
            done -> {});
    return seconds(begin);
  }

  private static double copy(Scratch scratch) throws CallFailure {
    scratch.empty();
    long begin = System.nanoTime();
    scratch.bulk();
    return seconds(begin);
  }

  private static double seconds(long beginNanos) {
    return (System.nanoTime() - beginNanos) / 1e9;
  }
}
