package io.shardload.generator;

import io.shardload.Daemons;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.keys.Ranges;
import io.shardload.keys.RangesAhead;
import io.shardload.keys.RangesLostException;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import io.shardload.workload.Transaction;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Ranges that raise the data set's high-water mark before they are used. A range that was taken is
 * kept until its mark is raised, so failures use up nothing.
 *
 * <p>Where several generators share the ranges, the mark also proves that a range is handed out
 * once, even if the counter was lost. Each generator reads the mark, takes a range, and moves the
 * mark from at or below the range's first ordinal to its end, by compare-and-set. The mark never
 * goes back, so two moves never cover the same ordinal. Every mark was preceded by a counter at
 * least as high, so a range below a mark that was read before it was taken shows that the counter
 * was set back. A range that another generator's move has passed in the meantime is left unused.
 */
final class GuardedRanges implements Ranges {
  /** Ordinals per range: one statement on the header per so many inserts. */
  static final int SIZE = 4096;

  /**
   * Ranges that are fetched ahead of the one in use. At 10 000 inserts per second they last 0.8 s
   * while the header is being written, which takes some milliseconds; the unused rest of a range is
   * never used.
   */
  private static final int AHEAD = 2;

  /** Interval of the check that the header still belongs to the run, even if it inserts nothing. */
  private static final long LOOK_SECONDS = 5;

  private static final Logger LOG = Logger.getLogger(GuardedRanges.class.getName());
  private static final String SET_BACK =
      "is in its state from before the run: the database has lost the run's mark, as in a failover"
          + " to a lagging standby";
  private static final long NONE = -1;
  private static final long ANY = -1;

  private final Ranges ranges;
  private final DataSetStore store;
  private final String run;
  private final long generation;
  private final MeetingPoint.Lease lease;
  private final boolean alone;
  private long taken = NONE;
  private long highestMark;
  private Header known;

  /**
   * @param sharingRun id of the run whose generators share the ranges, or empty if there is only
   *     one generator
   */
  GuardedRanges(Ranges ranges, DataSetStore store, String sharingRun) {
    this(ranges, store, sharingRun, ANY, MeetingPoint.Lease.UNLIMITED);
  }

  /**
   * @param generation that the data set must have, or -1
   * @param lease without which the mark is not raised
   */
  GuardedRanges(
      Ranges ranges,
      DataSetStore store,
      String sharingRun,
      long generation,
      MeetingPoint.Lease lease) {
    this(ranges, store, sharingRun, generation, lease, false);
  }

  /**
   * @param alone there is no other generator, though the run has marked the data set
   */
  GuardedRanges(
      Ranges ranges,
      DataSetStore store,
      String run,
      long generation,
      MeetingPoint.Lease lease,
      boolean alone) {
    this.ranges = ranges;
    this.store = store;
    this.run = run;
    this.generation = generation;
    this.lease = lease;
    this.alone = alone;
  }

  /**
   * Ranges from the meeting point, fetched ahead. If the run inserts, the first range is ready on
   * return.
   *
   * @param header of the data set that the run marked for itself; empty if another process may have
   * @param lost completed when no more ordinals can be handed out and the run must end
   */
  static Ranges open(
      RunConfig config,
      Target target,
      Optional<Header> header,
      long highWater,
      MeetingPoint meeting,
      CompletableFuture<RangesLostException> lost)
      throws CallFailure {
    boolean shared = meeting.isShared() || !config.redisUrl().isEmpty();
    Ranges plain = meeting.ranges(highWater, SIZE);
    boolean recorded = OwnedStates.recorded(target, config.model());
    if (!shared && !recorded) {
      return plain;
    }
    long generation = header.map(Header::generation).orElse(ANY);
    String run = shared || header.isPresent() ? config.runId() : "";
    ScheduledExecutorService thread =
        Executors.newSingleThreadScheduledExecutor(Daemons.named("shardload-ranges"));
    Ranges source = plain;
    if (recorded) {
      GuardedRanges guarded =
          new GuardedRanges(plain, target.dataSets(), run, generation, meeting.lease(), !shared);
      if (!run.isEmpty()) {
        var unused =
            thread.scheduleWithFixedDelay(
                () -> guarded.look(lost::complete), LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
      }
      source = guarded;
    }
    RangesAhead ahead = new RangesAhead(source, AHEAD, thread, lost::complete);
    try {
      if (takesNewKeys(config.model(), config.mix().names())) {
        ahead.begin();
      }
      return ahead;
    } catch (RuntimeException e) {
      ahead.close();
      throw new CallFailure("not-prepared", true, false, e.getMessage());
    }
  }

  private static <P> boolean takesNewKeys(Model<P> model, List<String> transactions) {
    return transactions.stream().map(model::transaction).anyMatch(Transaction::takesNewKeys);
  }

  @Override
  public synchronized long next() {
    try {
      return run.isEmpty() ? raised() : fenced();
    } catch (CallFailure e) {
      throw new IllegalStateException("cannot raise the high-water mark: " + e.getMessage(), e);
    }
  }

  private long raised() throws CallFailure {
    if (taken == NONE) {
      taken = ranges.next();
    }
    store.raiseHighWater(taken + size());
    return given();
  }

  private long fenced() throws CallFailure {
    while (true) {
      Header header = header();
      if (taken == NONE) {
        taken = ranges.next();
        if (taken < highestMark) {
          throw new RangesLostException(
              "Redis handed out ordinals from %d on, but all below %d are in use: Redis was restored from an older state"
                  .formatted(taken, highestMark));
        }
      } else if (alone && header.highWater() >= taken + size()) {
        // An earlier attempt moved it, though its acknowledgement was lost.
        return given();
      } else if (taken < highestMark) {
        taken = NONE;
        continue;
      }
      if (move(header, taken + size())) {
        return given();
      }
    }
  }

  private boolean move(Header header, long mark) throws CallFailure {
    if (!lease.holds()) {
      throw foreign("must not be written by this generator any more: its lease has expired");
    }
    if (!store.replace(header, header.withHighWater(mark))) {
      return false;
    }
    if (header.highWater() < highestMark) {
      LOG.log(
          Level.WARNING,
          "the database has lost the high-water mark {0} of used ordinals, as in a failover to a"
              + " lagging standby: it held {1}, and shardload raised it to {2}",
          new Object[] {"" + highestMark, "" + header.highWater(), "" + mark});
    }
    highestMark = mark;
    return true;
  }

  /** Checks whether the data set is still marked for the run; a failed query proves nothing. */
  synchronized void look(Consumer<RangesLostException> lost) {
    try {
      Header header = header();
      if (header.highWater() < highestMark) {
        move(header, highestMark);
      }
    } catch (RangesLostException e) {
      lost.accept(e);
    } catch (CallFailure e) {
      LOG.log(Level.FINE, "cannot read the data set''s header: {0}", e.getMessage());
    }
  }

  private Header header() throws CallFailure {
    Header header = store.header().orElseThrow(() -> foreign("no longer has a header"));
    if (!header.dirtyRun().equals(run)) {
      throw foreign(
          header.clean() ? clean(header) : "is being written by run " + header.dirtyRun());
    }
    if (generation != ANY && header.generation() != generation) {
      throw foreign("is at generation " + header.generation() + ", not " + generation);
    }
    highestMark = Math.max(highestMark, header.highWater());
    known = header;
    return header;
  }

  /** Why a header names no run, as far as its generation and identity show. */
  private String clean(Header header) {
    if (header.generation() != generation) {
      return "was settled";
    }
    return known == null || known.identity().equals(header.identity()) ? SET_BACK : "was recreated";
  }

  private RangesLostException foreign(String why) {
    return new RangesLostException("the data set of run " + run + " " + why);
  }

  private long given() {
    long first = taken;
    taken = NONE;
    return first;
  }

  @Override
  public int size() {
    return ranges.size();
  }

  @Override
  public void close() {
    ranges.close();
  }
}
