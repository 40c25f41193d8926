package io.shardload.calibrate;

import io.shardload.verify.Verifier;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import io.shardload.workload.Ports;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline.Scratch;
import java.util.Locale;

/**
 * Compares the verification of every document, which generates each document again to compare it,
 * with the database's own scan to one client, which decodes nothing. Both read the same table, and
 * each opens a new connection.
 */
final class VerificationRate {
  private static final Goal GOAL = Goal.atLeast(0.5, "");
  private static final String WHAT = "verification: rate, all documents over a scan to one client";
  private static final int MOST_DOCUMENTS = 200_000;
  private static final long MOST_BYTES = 512L << 20;
  private static final int WARM_UP_ROUNDS = 2;

  private VerificationRate() {}

  static Figure measure(
      Model<?> model, DocumentStoreBaseline baseline, int rounds, Progress progress)
      throws CallFailure {
    long documents = documents(model);
    try (Scratch scratch = baseline.scratch()) {
      Ports ports = ports(scratch);
      model.load(
          ports, 0, documents, done -> progress.step("scratch", done, documents, "documents"));
      scratch.admin().finishLoad();
      double[] ratios = new double[rounds];
      double verified = 0;
      double scanned = 0;
      for (int i = -WARM_UP_ROUNDS; i < rounds; i++) {
        progress.step("verify", Math.max(0, i), rounds, "rounds");
        double first = i % 2 == 0 ? verify(ports, model, documents) : scan(scratch, documents);
        double second = i % 2 == 0 ? scan(scratch, documents) : verify(ports, model, documents);
        if (i >= 0) {
          verified += i % 2 == 0 ? first : second;
          scanned += i % 2 == 0 ? second : first;
          ratios[i] = i % 2 == 0 ? second / first : first / second;
        }
      }
      progress.step("verify", rounds, rounds, "rounds");
      String detail =
          String.format(
              Locale.ROOT,
              "documents/s: verified %.0f, scanned %.0f; %d documents",
              documents * rounds / verified,
              documents * rounds / scanned,
              documents);
      return Figure.ofRatios(WHAT, GOAL, ratios, detail);
    }
  }

  private static long documents(Model<?> model) {
    long room = MOST_BYTES / Math.max(1, model.bytesPerDocument());
    return Math.min(model.documents(), Math.max(1, Math.min(MOST_DOCUMENTS, room)));
  }

  private static Ports ports(Scratch scratch) {
    return new Ports() {
      @Override
      public <P> P port(Class<P> type) {
        return type.cast(scratch.admin());
      }
    };
  }

  private static double verify(Ports ports, Model<?> model, long documents) throws CallFailure {
    long begin = System.nanoTime();
    expect(0, Verifier.wrongOfLoaded(ports, model, documents), "wrong documents");
    return seconds(begin);
  }

  private static double scan(Scratch scratch, long documents) throws CallFailure {
    long begin = System.nanoTime();
    expect(documents, scratch.scan(), "rows");
    return seconds(begin);
  }

  private static void expect(long right, long is, String what) throws CallFailure {
    if (is != right) {
      throw new CallFailure(
          "wrong-rows", false, false, "%d %s instead of %d".formatted(is, what, right));
    }
  }

  private static double seconds(long beginNanos) {
    return (System.nanoTime() - beginNanos) / 1e9;
  }
}
