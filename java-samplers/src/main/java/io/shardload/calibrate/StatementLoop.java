package io.shardload.calibrate;

import io.shardload.data.Draws;
import io.shardload.driver.Target;
import io.shardload.generator.RunConfig;
import io.shardload.keys.Keys;
import io.shardload.keys.States;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.baseline.StatementBaseline;
import io.shardload.workload.statements.calls.StatementCall;
import io.shardload.workload.statements.calls.StatementTransaction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;

/**
 * A program without a harness for a folder's transaction: threads that repeat calls on the client
 * library, each with a histogram. The values are the same as in the harness; all are drawn before
 * the first call, so the loop does not pay for the drawing.
 */
final class StatementLoop {
  private static final long HIGHEST_NANOS = 60_000_000_000L;

  /** Calls that a thread repeats: enough that they do not all fit into a processor's caches. */
  private static final int MOST_CALLS = 4096;

  /** Characters in the values of all threads' calls: a quarter of a bench's heap at most. */
  private static final long MOST_CHARACTERS = 32L << 20;

  private final RunConfig config;
  private final StatementTransaction transaction;
  private final StatementBaseline baseline;
  private final Keys keys;

  private StatementLoop(RunConfig config, StatementsModel model, StatementBaseline baseline) {
    this.config = config;
    this.transaction = (StatementTransaction) model.transaction(config.mix().names().get(0));
    this.baseline = baseline;
    this.keys = Keys.alone(new States(), model.ranks(), model.documents(), 1);
  }

  /** Runs one round, on the mix's first transaction. */
  static Measured round(RunConfig config, StatementsModel model, Target target, Span span)
      throws CallFailure, InterruptedException {
    StatementLoop loop =
        new StatementLoop(config, model.ready(target), target.port(StatementBaseline.class));
    List<List<StatementBaseline.Call>> calls = new ArrayList<>();
    for (int thread = 0; thread < config.load().workers(); thread++) {
      calls.add(loop.calls(thread));
    }
    return LoopThreads.run(
        config.load().workers(),
        span,
        (thread, count, stopped) -> repeat(calls.get(thread), count, stopped));
  }

  private List<StatementBaseline.Call> calls(int thread) throws CallFailure {
    int threads = config.load().workers();
    List<StatementBaseline.Call> calls = new ArrayList<>();
    Draws draws = new Draws();
    long characters = 0;
    for (long index = thread;
        calls.size() < MOST_CALLS && characters <= MOST_CHARACTERS / threads;
        index += threads) {
      Draws ofArrival = draws.at(config.seed(), index);
      ofArrival.nextDouble(); // the draw that chooses the transaction
      StatementCall call = transaction.prepare(ofArrival, keys);
      calls.add(baseline.prepare(call.plan(), call.arguments()));
      characters += characters(call.arguments());
    }
    return calls;
  }

  private static long characters(Object[] values) {
    long sum = 0;
    for (Object value : values) {
      sum += value == null ? 0 : value.toString().length();
    }
    return sum;
  }

  private static long repeat(
      List<StatementBaseline.Call> calls, AtomicLong count, BooleanSupplier stopped)
      throws CallFailure {
    Histogram histogram = new Histogram(HIGHEST_NANOS, 3);
    long done = 0;
    while (!stopped.getAsBoolean()) {
      StatementBaseline.Call call = calls.get((int) (done % calls.size()));
      long begin = System.nanoTime();
      call.run();
      histogram.recordValue(Math.min(System.nanoTime() - begin, HIGHEST_NANOS));
      count.lazySet(++done);
    }
    return histogram.getTotalCount();
  }
}
