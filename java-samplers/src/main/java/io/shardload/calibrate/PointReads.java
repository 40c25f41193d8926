package io.shardload.calibrate;

import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/**
 * The cost of the harness on a real database: 8 workers that read documents by their whole key, in
 * the harness and in a loop on the client library, with the same pool, statement text and keys,
 * both decoding every row. The server's own count must equal the operations of both sides together.
 *
 * <p>Reads only: inserts would change the data set and make each round's table larger than the one
 * before.
 */
final class PointReads {
  private static final Goal THROUGHPUT = Goal.atLeast(0.97, "");
  private static final Goal CPU = Goal.atMost(1.10, "");
  private static final Span SPAN = new Span(2);
  private static final int WORKERS = 8;
  private static final int COUNT_PATIENCE_MILLIS = 10_000;

  private PointReads() {}

  static List<Figure> measure(TestBed testBed, DocumentStoreBaseline baseline)
      throws IOException, InterruptedException, CallFailure {
    long before = baseline.pointReads();
    Sides sides =
        Sides.measure(
            testBed, "point reads", testBed.onTarget(), WORKERS, SPAN, List.of("harness", "plain"));
    boolean told = before != DocumentStoreBaseline.NOT_TOLD;
    long counted = told ? counted(baseline, before, sides.all()) : 0;
    String detail =
        String.format(
            Locale.ROOT,
            "operations/s: harness %.0f, plain loop %.0f; client CPU us per operation: %.2f, %.2f;"
                + " %d workers; done %d, counted by the server: %s",
            sides.mean("harness", Measured::perSecond),
            sides.mean("plain", Measured::perSecond),
            sides.mean("harness", Measured::cpuMicros),
            sides.mean("plain", Measured::cpuMicros),
            WORKERS,
            sides.all(),
            told ? counted : "not reported");
    List<Figure> figures =
        List.of(
            Figure.ofRatios(
                "point read: throughput, harness over plain loop",
                THROUGHPUT,
                sides.compare("harness", "plain", (h, p) -> h.perSecond() / p.perSecond()),
                detail),
            Figure.ofRatios(
                "point read: client CPU per operation, harness over plain loop",
                CPU,
                sides.compare("harness", "plain", (h, p) -> h.cpuMicros() / p.cpuMicros()),
                detail));
    return !told || counted == sides.all()
        ? figures
        : figures.stream().map(f -> f.invalid("the server counted a different number")).toList();
  }

  /** The server's count, after its sessions have had time to report their statistics. */
  private static long counted(DocumentStoreBaseline baseline, long before, long expected)
      throws CallFailure, InterruptedException {
    long last = -1;
    for (int waited = 0; waited < COUNT_PATIENCE_MILLIS; waited += 200) {
      long now = baseline.pointReads() - before;
      if (now == last && now >= expected) {
        return now;
      }
      last = now;
      Thread.sleep(200);
    }
    return last;
  }
}
