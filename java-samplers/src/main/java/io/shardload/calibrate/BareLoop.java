package io.shardload.calibrate;

import io.shardload.data.Draws;
import io.shardload.driver.Target;
import io.shardload.generator.OwnedStates;
import io.shardload.generator.RunConfig;
import io.shardload.keys.Keys;
import io.shardload.keys.Ownership;
import io.shardload.keys.States;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.Transaction;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.calls.StatementCall;
import io.shardload.workload.statements.calls.StatementTransaction;
import io.shardload.workload.statements.port.StatementBaseline;
import io.shardload.workload.statements.port.StatementStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * A program without a harness: threads that share nothing, each with one loop of calls of the mix's
 * first transaction. The values are drawn as in the harness, so both send the same requests. There
 * is no schedule and no ledger.
 */
public final class BareLoop {
  private static final long HIGHEST_NANOS = 60_000_000_000L;

  /** Calls of a folder that a thread repeats: too many for a processor's caches. */
  private static final int MOST_CALLS = 4096;

  /** Characters in the values of all threads' calls: a quarter of a bench's heap at most. */
  private static final long MOST_CHARACTERS = 32L << 20;

  private final RunConfig config;
  private final Target target;
  private final int workers;

  /** What a thread repeats. */
  @FunctionalInterface
  private interface Step {
    /**
     * Makes a call.
     *
     * @param number of the call, from 0
     */
    void run(long number) throws CallFailure;
  }

  private BareLoop(RunConfig config, Target target) {
    this.config = config;
    this.target = target;
    this.workers = config.load().workers();
  }

  /**
   * Runs one round with as many threads as the configuration has workers.
   *
   * @param plain use the client library by hand, and time each call into one histogram per thread;
   *     otherwise the driver's port, and record nothing
   * @param seconds of the window
   */
  public static Measured round(RunConfig config, boolean plain, int seconds)
      throws CallFailure, InterruptedException {
    try (Target target = config.driver().open(config.target(), config.session())) {
      BareLoop loop = new BareLoop(config, target);
      StatementsModel model = ((StatementsModel) config.model()).ready(target);
      return run(plain ? loop.plain(model) : loop.bare(model), seconds);
    }
  }

  /** Each call is prepared as in the harness. */
  private List<Step> bare(StatementsModel model) throws CallFailure {
    Keys keys = keys(model);
    Transaction<StatementStore> transaction = model.transaction(config.mix().names().get(0));
    StatementStore store = target.port(StatementStore.class);
    List<Step> steps = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      int thread = i;
      Draws draws = new Draws();
      steps.add(
          number -> transaction.prepare(at(draws, thread, number), keys).run(store, Phases.NONE));
    }
    return steps;
  }

  /** As the harness has them: a row that an earlier run has deleted is asked for by neither. */
  private Keys keys(StatementsModel model) throws CallFailure {
    long highWater = OwnedStates.highWater(target, model);
    States states = OwnedStates.read(target, model, new Ownership(0, 1, highWater));
    return Keys.alone(states, model.ranks(), highWater, 1);
  }

  /** All values are drawn before the first call, so the loop does not pay for the drawing. */
  private List<Step> plain(StatementsModel model) throws CallFailure {
    StatementBaseline baseline = target.port(StatementBaseline.class);
    var transaction = (StatementTransaction) model.transaction(config.mix().names().get(0));
    Keys keys = keys(model);
    boolean isThere = model.readsByKey(transaction.name());
    List<Step> steps = new ArrayList<>();
    for (int thread = 0; thread < workers; thread++) {
      List<StatementBaseline.Call> calls = new ArrayList<>();
      Draws draws = new Draws();
      long characters = 0;
      while (calls.size() < MOST_CALLS && characters <= MOST_CHARACTERS / workers) {
        if (!(transaction.prepare(at(draws, thread, calls.size()), keys)
            instanceof StatementCall call)) {
          throw new CallFailure("no-row", true, false, "the entity has no rows");
        }
        calls.add(baseline.prepare(call.plan(), call.arguments()));
        characters += Arrays.toString(call.arguments()).length();
      }
      Histogram histogram = new Histogram(HIGHEST_NANOS, 3);
      steps.add(
          number -> {
            StatementBaseline.Call call = calls.get((int) (number % calls.size()));
            long begin = System.nanoTime();
            if (call.run() == 0 && isThere) {
              throw new CallFailure("not-found", true, false, "an existing document was not found");
            }
            histogram.recordValue(Math.min(System.nanoTime() - begin, HIGHEST_NANOS));
          });
    }
    return steps;
  }

  private Draws at(Draws draws, int thread, long number) {
    Draws ofArrival = draws.at(config.seed(), thread + number * workers);
    ofArrival.nextDouble(); // the draw that chooses the transaction
    return ofArrival;
  }

  private static Measured run(List<Step> steps, int seconds)
      throws InterruptedException, CallFailure {
    ExecutorService pool = Executors.newFixedThreadPool(steps.size());
    AtomicBoolean stopped = new AtomicBoolean();
    List<AtomicLong> counts = new ArrayList<>();
    List<Future<Long>> ends = new ArrayList<>();
    for (Step step : steps) {
      AtomicLong count = new AtomicLong();
      counts.add(count);
      ends.add(pool.submit(() -> repeat(step, count, stopped)));
    }
    try {
      Measured window =
          Measured.window(seconds, () -> counts.stream().mapToLong(AtomicLong::get).sum());
      stopped.set(true);
      long all = 0;
      for (Future<Long> end : ends) {
        all += end.get();
      }
      return window.withAll(all);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CallFailure failure) {
        throw failure;
      }
      throw new IllegalStateException("the bare loop failed", e.getCause());
    } finally {
      stopped.set(true);
      pool.shutdownNow();
    }
  }

  private static long repeat(Step step, AtomicLong count, AtomicBoolean stopped)
      throws CallFailure {
    long done = 0;
    while (!stopped.get()) {
      step.run(done);
      count.lazySet(++done);
    }
    return done;
  }
}
