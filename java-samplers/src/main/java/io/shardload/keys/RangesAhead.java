package io.shardload.keys;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Fetches ranges before they are needed, in one thread, so that no worker waits for them: {@link
 * #next} returns a fetched range or fails at once. A failed fetch is repeated after a pause; a
 * fetch that can never succeed again is reported once.
 */
public final class RangesAhead implements Ranges {
  static final long PAUSE_MILLIS = 100;
  private static final long CLOSE_PATIENCE_SECONDS = 5;
  private static final Logger LOG = Logger.getLogger(RangesAhead.class.getName());

  /** No range is available. Thrown for every insert of an outage, so it carries no stack trace. */
  static final class NoneAtHandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoneAtHandException(String message) {
      super(message, null, false, false);
    }
  }

  private final Ranges source;
  private final int ahead;
  private final ScheduledExecutorService thread;
  private final Consumer<RangesLostException> lost;
  private final Queue<Long> atHand = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean filling = new AtomicBoolean();
  private volatile String problem = "the next range has not arrived yet";

  /** Used by the fetching thread alone. */
  private boolean failing;

  /**
   * @param ahead how many ranges to keep available
   * @param thread fetches; belongs to this object from now on
   * @param lost called by that thread when the run must end
   */
  public RangesAhead(
      Ranges source,
      int ahead,
      ScheduledExecutorService thread,
      Consumer<RangesLostException> lost) {
    this.source = source;
    this.ahead = ahead;
    this.thread = thread;
    this.lost = lost;
  }

  /**
   * Fetches the first range in the calling thread and further ranges ahead; fails if the first
   * fetch fails.
   */
  public void begin() {
    atHand.add(source.next());
    fillSoon();
  }

  @Override
  public long next() {
    Long first = atHand.poll();
    fillSoon();
    if (first == null) {
      throw new NoneAtHandException("no range of new ordinals is available: " + problem);
    }
    return first;
  }

  private void fillSoon() {
    if (filling.compareAndSet(false, true)) {
      thread.execute(this::fill);
    }
  }

  private void fill() {
    try {
      while (atHand.size() < ahead) {
        atHand.add(source.next());
      }
      failing = false;
      filling.set(false);
    } catch (RangesLostException e) {
      // The flag stays set: nothing is fetched any more.
      problem = e.getMessage();
      lost.accept(e);
    } catch (RuntimeException e) {
      if (!failing) {
        failing = true;
        LOG.log(Level.WARNING, "cannot fetch a range of new ordinals: {0}", e.getMessage());
      }
      problem = e.getMessage();
      var unused = thread.schedule(this::fill, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public int size() {
    return source.size();
  }

  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(CLOSE_PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warning("a range of new ordinals is still being fetched");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    source.close();
  }
}
