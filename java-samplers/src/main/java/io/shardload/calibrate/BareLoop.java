package io.shardload.calibrate;

import io.shardload.data.Draws;
import io.shardload.driver.Target;
import io.shardload.generator.OwnedStates;
import io.shardload.generator.RunConfig;
import io.shardload.keys.Keys;
import io.shardload.keys.Ownership;
import io.shardload.keys.States;
import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import io.shardload.workload.Outcome;
import io.shardload.workload.Phases;
import io.shardload.workload.Transaction;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline;
import io.shardload.workload.statements.StatementsModel;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.HdrHistogram.Histogram;

/**
 * A program without a harness: threads that prepare and call one transaction in a loop. The
 * preparation is the harness's own, so both issue the same requests. There is no schedule and no
 * ledger, and the threads share nothing.
 *
 * @param <P> the workload's port
 */
public final class BareLoop<P> {
  private static final long HIGHEST_NANOS = 60_000_000_000L;

  private final RunConfig config;
  private final Transaction<P> transaction;
  private final Keys keys;
  private final P port;
  private final boolean timed;

  private BareLoop(RunConfig config, Model<P> model, Keys keys, P port, boolean timed) {
    this.config = config;
    this.transaction = model.transaction(config.mix().names().get(0));
    this.keys = keys;
    this.port = port;
    this.timed = timed;
  }

  /**
   * Runs one round with as many threads as the configuration has workers, on the mix's first
   * transaction.
   *
   * @param plain use the client library by hand, and time each call into one histogram per thread;
   *     otherwise the driver's port, and record nothing
   */
  public static Measured round(RunConfig config, boolean plain, Span span)
      throws CallFailure, InterruptedException {
    try (Target target = config.driver().open(config.target(), config.session())) {
      return plain && config.model() instanceof StatementsModel folder
          ? StatementLoop.round(config, folder, target, span)
          : of(config, config.model(), target, plain).run(span);
    }
  }

  private static <P> BareLoop<P> of(RunConfig config, Model<P> model, Target target, boolean plain)
      throws CallFailure {
    long highWater = OwnedStates.highWater(target, model);
    States states = OwnedStates.read(target, model, new Ownership(0, 1, highWater));
    Keys keys = Keys.alone(states, model.ranks(), highWater, 1);
    P port =
        plain
            ? model.port().cast(target.port(DocumentStoreBaseline.class).plain())
            : target.port(model.port());
    return new BareLoop<>(config, model, keys, port, plain);
  }

  private Measured run(Span span) throws InterruptedException, CallFailure {
    return LoopThreads.run(config.load().workers(), span, timed ? this::loopTimed : this::loop);
  }

  private long loop(int first, AtomicLong count, BooleanSupplier stopped) throws CallFailure {
    Draws draws = new Draws();
    long done = 0;
    for (long index = first; !stopped.getAsBoolean(); index += config.load().workers()) {
      call(draws, index).run(port, Phases.NONE);
      count.lazySet(++done);
    }
    return done;
  }

  private long loopTimed(int first, AtomicLong count, BooleanSupplier stopped) throws CallFailure {
    Draws draws = new Draws();
    Histogram histogram = new Histogram(HIGHEST_NANOS, 3);
    long done = 0;
    for (long index = first; !stopped.getAsBoolean(); index += config.load().workers()) {
      Call<P> call = call(draws, index);
      long begin = System.nanoTime();
      call.run(port, Phases.NONE);
      histogram.recordValue(Math.min(System.nanoTime() - begin, HIGHEST_NANOS));
      if (!(call.finish(null, false) instanceof Outcome.Done)) {
        throw new CallFailure("not-found", true, false, "an existing document was not found");
      }
      count.lazySet(++done);
    }
    return histogram.getTotalCount();
  }

  private Call<P> call(Draws draws, long index) {
    Draws ofArrival = draws.at(config.seed(), index);
    ofArrival.nextDouble(); // the draw that chooses the transaction
    return transaction.prepare(ofArrival, keys);
  }
}
