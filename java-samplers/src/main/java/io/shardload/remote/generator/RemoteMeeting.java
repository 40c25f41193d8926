package io.shardload.remote.generator;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.SegmentHistograms;
import io.shardload.bundle.json.Json;
import io.shardload.generator.MeetingPoint;
import io.shardload.generator.RunConfig;
import io.shardload.generator.TimedLease;
import io.shardload.keys.Ranges;
import io.shardload.keys.RedisRanges;
import io.shardload.metrics.Recording;
import io.shardload.redis.Redis;
import io.shardload.redis.RedisException;
import io.shardload.remote.wire.HelloFacts;
import io.shardload.remote.wire.Message;
import io.shardload.remote.wire.RunKeys;
import io.shardload.remote.wire.Timing;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The meeting point of a run with load hosts: Redis, through which the controller agrees the start,
 * grants the lease, and receives what the generator records. All times of the ledger follow the
 * clock of Redis.
 */
public final class RemoteMeeting implements MeetingPoint {
  private static final Logger LOG = Logger.getLogger(RemoteMeeting.class.getName());
  private static final int FIRST_ROUND_TRIPS = 20;
  private static final long POLL_MILLIS = 10;
  private static final long DELIVERY_NANOS = TimeUnit.SECONDS.toNanos(20);
  private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final int PIECES_AT_HAND = 16;
  private static final int SPREAD = 50;
  private static final long SPREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final int PART_DIED = 2;
  private static final String CLOCK_SET = "clock-set";

  private final Member member;
  private final RunConfig config;
  private final String jmeter;
  private final Redis redis;
  private final RedisClock clock;
  private final Contact.Outbox outbox = new Contact.Outbox();
  private final TimedLease lease = new TimedLease(System::nanoTime, Timing.LEASE.toNanos());
  private final StopOrder order = new StopOrder();
  private final Contact contact;
  private final Exchanger exchanger;
  private final JournalTail journal;
  private volatile MeetingPoint.Start start;
  private volatile LongConsumer prolong = nanos -> {};

  private RemoteMeeting(Member member, RunConfig config, String jmeter, Redis redis) {
    this.member = member;
    this.config = config;
    this.jmeter = jmeter;
    this.redis = redis;
    this.clock = clock(redis);
    RunKeys keys = member.keys();
    this.contact =
        new Contact(
            member.generator(),
            System::nanoTime,
            messages -> redis.exchange(keys.up(), messages, keys.run(), Timing.KEY_LIFE),
            outbox,
            lease,
            order,
            nanos -> prolong.accept(nanos));
    this.exchanger = new Exchanger(contact, outbox, clock);
    this.journal =
        new JournalTail(new BundleLayout(config.directory()).journal(member.generator()));
  }

  /**
   * Connects, compares the clocks, and begins to exchange messages.
   *
   * @param jmeter version of the JMeter that this process runs
   * @throws io.shardload.config.ConfigException Redis does not answer, or refuses the password
   */
  public static RemoteMeeting connect(Member member, RunConfig config, String jmeter) {
    Redis redis = member.connect();
    try {
      RemoteMeeting meeting = new RemoteMeeting(member, config, jmeter, redis);
      meeting.exchanger.start();
      return meeting;
    } catch (RuntimeException e) {
      redis.close();
      throw e;
    }
  }

  static RedisClock clock(Redis redis) {
    RedisClock clock =
        new RedisClock(
            System::nanoTime,
            () -> ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()),
            redis::timeMicros);
    clock.measure(FIRST_ROUND_TRIPS);
    return clock;
  }

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  public MeetingPoint.Lease lease() {
    return lease;
  }

  @Override
  public void onOrder(Consumer<String> stop, LongConsumer newProlong) {
    prolong = newProlong;
    order.onStop(stop);
  }

  @Override
  public Ranges ranges(long highWater, int size) {
    return new RedisRanges(member.connect(), member.keys().id(), highWater, size);
  }

  @Override
  public MeetingPoint.Start agreeStart(MeetingPoint.Readiness readiness, BooleanSupplier stopped)
      throws InterruptedException {
    send(new Message.Hello(member.generator(), facts(readiness)));
    while (contact.start().isEmpty() && !stopped.getAsBoolean()) {
      Thread.sleep(POLL_MILLIS);
    }
    boolean agreed = contact.start().isPresent() && isStartSound(stopped);
    long micros = agreed ? contact.start().getAsLong() : clock.redisMicrosAt(System.nanoTime());
    start = new MeetingPoint.Start(clock.nanoTimeAt(micros), micros / 1000);
    exchanger.beEager(mayProlong(0, 0));
    return start;
  }

  /**
   * Whether all generators mean the same moment, which has not passed. Every one measures Redis's
   * clock again after the start was agreed: a step that came after the first measurement of any of
   * them shows in its second one.
   */
  private boolean isStartSound(BooleanSupplier stopped) throws InterruptedException {
    while (!measured()) {
      if (stopped.getAsBoolean()) {
        return false;
      }
      Thread.sleep(POLL_MILLIS);
    }
    double step = clock.redisStepMillis();
    long lateNanos = System.nanoTime() - clock.nanoTimeAt(contact.start().getAsLong());
    String why = "";
    if (step != 0) {
      why =
          "the clock of Redis at %s was set by %+.2f s before the start, or this host was suspended"
              .formatted(redis.address(), step / 1e3);
    } else if (lateNanos > 0) {
      why = "the agreed start was %.1f s ago when this host learned it".formatted(lateNanos / 1e9);
    }
    if (!why.isEmpty()) {
      trouble("hosts", why, PART_DIED);
      order.accept(CLOCK_SET);
    }
    return why.isEmpty();
  }

  private boolean measured() {
    try {
      clock.measure(FIRST_ROUND_TRIPS);
      return true;
    } catch (RedisException e) {
      return false;
    }
  }

  private JsonObject facts(MeetingPoint.Readiness readiness) {
    JsonObject facts =
        Rehearsal.facts(
            member, config.load().generators(), readiness.scheduleHash(), jmeter, clock);
    facts.addProperty(HelloFacts.REHEARSAL, false);
    facts.addProperty(HelloFacts.HIGH_WATER, readiness.highWater());
    facts.addProperty(HelloFacts.GENERATION, readiness.generation());
    facts.addProperty(HelloFacts.SHARES_MACHINE, readiness.sharesMachine());
    return facts;
  }

  @Override
  public void describe(JsonObject line) {
    clock.watchWallClock();
    long now = System.nanoTime();
    MeetingPoint.Start known = start;
    line.addProperty(
        "epoch_ms",
        known == null
            ? clock.redisMicrosAt(now) / 1000
            : known.epochMillis() + TimeUnit.NANOSECONDS.toMillis(now - known.nanoTime()));
    line.addProperty(HelloFacts.CLOCK_OFFSET_MILLIS, clock.offsetMillis());
    line.addProperty(HelloFacts.CLOCK_UNCERTAINTY_MILLIS, clock.uncertaintyMillis());
  }

  @Override
  public void describeEnd(JsonObject line) {
    line.addProperty("clock_step_ms", clock.stepMillis());
  }

  @Override
  public void second(JsonObject line, List<Recording.Interval> histograms) {
    try {
      long offset = journal.offset();
      byte[] bytes = journal.more();
      List<Message.Histogram> parts =
          histograms.stream().map(one -> new Message.Histogram(one.tag(), one.counts())).toList();
      outbox.add(new Message.Second(member.generator(), line.deepCopy(), parts, offset, bytes));
      exchanger.beEager(
          mayProlong(
              Json.integer(line, "to_ns", 0), Json.integer(line, RunKeys.PROLONGED_NANOS, 0)));
      // All generators write ledger lines at the same time, but must not send messages at the same
      // time.
      exchanger.nudge(SPREAD_NANOS * (member.generator() % SPREAD));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether the controller may still prolong the warm-up; then it is heard more often. */
  private boolean mayProlong(long nowNanos, long prolongedNanos) {
    return nowNanos < config.load().warmUpNanos() + prolongedNanos;
  }

  private void send(Message message) {
    outbox.add(message);
    exchanger.nudge();
  }

  @Override
  public void trouble(String key, String message, int exit) {
    send(new Message.Trouble(member.generator(), key, message, exit));
  }

  /** Delivers what is left, unless the lease runs out or it takes too long. */
  @Override
  public void finish(JsonObject line) throws InterruptedException {
    exchanger.beEager(true);
    if (contact.isCut()) {
      return;
    }
    try {
      Path segments = new BundleLayout(config.directory()).segmentHistograms(member.generator());
      SegmentHistograms.write(
          BundleReader.generator(config.directory(), member.generator()), segments);
      deliver(segments, line.deepCopy(), System.nanoTime() + DELIVERY_NANOS);
    } catch (IOException e) {
      LOG.log(Level.SEVERE, "cannot deliver the histograms of the segments", e);
      trouble(
          "run.directory", "cannot read the generator's histograms: " + e.getMessage(), PART_DIED);
    }
  }

  private void deliver(Path segments, JsonObject line, long untilNanos)
      throws IOException, InterruptedException {
    long offset = 0;
    try (InputStream in = Files.newInputStream(segments)) {
      byte[] piece = in.readNBytes(Timing.PIECE_BYTES);
      while (piece.length > 0 && exchanger.await(PIECES_AT_HAND, untilNanos)) {
        send(new Message.Segments(member.generator(), offset, piece));
        offset += piece.length;
        piece = in.readNBytes(Timing.PIECE_BYTES);
      }
    }
    line.remove("hlog_bytes");
    send(new Message.Final(member.generator(), line, Files.size(segments), journal.offset()));
    if (!exchanger.await(0, untilNanos)) {
      LOG.warning(
          "the controller has not received everything; the run's files on this host are complete");
    }
  }

  @Override
  public void close() {
    try {
      if (!exchanger.await(0, System.nanoTime() + CLOSE_NANOS)) {
        LOG.warning("not everything could be sent to the controller");
      }
      exchanger.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      redis.close();
    }
  }

  /**
   * Passes the first reason to stop on to the run, also one that came before the run was there.
   * Thread-safe.
   */
  private static final class StopOrder implements Consumer<String> {
    private String reason;
    private Consumer<String> run;

    /** Says how the run is stopped. */
    synchronized void onStop(Consumer<String> newRun) {
      run = newRun;
      if (reason != null) {
        run.accept(reason);
      }
    }

    @Override
    public synchronized void accept(String newReason) {
      if (reason == null) {
        reason = newReason;
        if (run != null) {
          run.accept(reason);
        }
      }
    }
  }

  /** The bytes that were appended to a journal since the last call. Used by one thread. */
  static final class JournalTail {
    private final Path file;
    private long offset;

    /**
     * @param file need not exist
     */
    JournalTail(Path file) {
      this.file = file;
    }

    /** Where the next bytes begin. */
    long offset() {
      return offset;
    }

    /** The bytes from {@link #offset} on, which then lies after them. */
    byte[] more() throws IOException {
      if (!Files.exists(file)) {
        return new byte[0];
      }
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(channel.size() - offset));
        while (bytes.hasRemaining() && channel.read(bytes, offset + bytes.position()) >= 0) {
          // The next part.
        }
        offset += bytes.position();
        return Arrays.copyOf(bytes.array(), bytes.position());
      }
    }
  }
}
