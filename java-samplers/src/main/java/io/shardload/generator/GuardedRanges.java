package io.shardload.generator;

import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.generator.meeting.Lease;
import io.shardload.generator.meeting.MeetingPoint;
import io.shardload.keys.ranges.Ranges;
import io.shardload.keys.ranges.RangesAhead;
import io.shardload.keys.ranges.RangesLostException;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import io.shardload.workload.Transaction;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;

/**
 * Ranges that raise the data set's high-water mark before anybody uses them. A range that was taken
 * is kept until its mark is raised, so failures use up nothing.
 *
 * <p>Where several generators share the ranges, the mark also proves that a range is handed out
 * once, whatever became of the counter. Each generator reads the mark, takes a range, and moves the
 * mark from at or below the range's first ordinal to its end, by compare-and-set. The mark never
 * goes back, so two moves never cover the same ordinal. Every mark was preceded by a counter at
 * least as high, so a range below a mark that was read before it was taken shows that the counter
 * was set back. A range that another generator's move has passed in the meantime is left unused.
 */
final class GuardedRanges implements Ranges {
  /** Ordinals per range: one statement on the header per so many inserts. */
  static final int SIZE = 4096;

  /**
   * Ranges at hand beside the one in use. At 10 000 inserts per second they last 0.8 s while the
   * header is being written, which takes some milliseconds; what a run leaves of its ranges is
   * never used.
   */
  private static final int AHEAD = 2;

  private static final long NONE = -1;
  private static final long ANY = -1;

  private final Ranges ranges;
  private final DataSetStore store;
  private final String sharingRun;
  private final long generation;
  private final Lease lease;
  private long taken = NONE;

  /**
   * @param sharingRun id of the run whose generators share the ranges, or empty if there is but one
   */
  GuardedRanges(Ranges ranges, DataSetStore store, String sharingRun) {
    this(ranges, store, sharingRun, ANY, Lease.UNLIMITED);
  }

  /**
   * @param generation that the data set has to be at, or -1
   * @param lease without which the mark is not raised
   */
  GuardedRanges(
      Ranges ranges, DataSetStore store, String sharingRun, long generation, Lease lease) {
    this.ranges = ranges;
    this.store = store;
    this.sharingRun = sharingRun;
    this.generation = generation;
    this.lease = lease;
  }

  /**
   * Ranges from the meeting point, fetched ahead. If the run inserts, the first range is there on
   * return.
   *
   * @param header of the data set that the run marked for itself; empty if anybody else may have
   * @param lost completed when no more ordinals can be handed out and the run has to end
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
    if (!shared && !target.keepsData()) {
      return plain;
    }
    long generation = header.map(Header::generation).orElse(ANY);
    Ranges guarded =
        target.keepsData()
            ? new GuardedRanges(
                plain, target.dataSets(), shared ? config.runId() : "", generation, meeting.lease())
            : plain;
    RangesAhead ahead =
        new RangesAhead(
            guarded,
            AHEAD,
            Executors.newSingleThreadScheduledExecutor(GuardedRanges::daemon),
            lost::complete);
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

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "shardload-ranges");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public synchronized long next() {
    try {
      return sharingRun.isEmpty() ? raised() : fenced();
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
        if (taken < header.highWater()) {
          throw new RangesLostException(
              "Redis handed out ordinals from %d on, but those below %d are in use: it was restored from an older state"
                  .formatted(taken, header.highWater()));
        }
      } else if (taken < header.highWater()) {
        taken = NONE;
        continue;
      }
      if (!lease.holds()) {
        throw foreign("is no longer this generator's to write: its lease has run out");
      }
      if (store.replace(header, header.withHighWater(taken + size()))) {
        return given();
      }
    }
  }

  private Header header() throws CallFailure {
    Header header = store.header().orElseThrow(() -> foreign("has no header any more"));
    if (!header.dirtyRun().equals(sharingRun)) {
      throw foreign(
          header.clean() ? "was settled" : "is being written by run " + header.dirtyRun());
    }
    if (generation != ANY && header.generation() != generation) {
      throw foreign("is at generation " + header.generation() + ", not " + generation);
    }
    return header;
  }

  private RangesLostException foreign(String why) {
    return new RangesLostException("the data set of run " + sharingRun + " " + why);
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
