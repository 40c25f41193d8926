package io.shardload.remote.generator;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.generator.TimedLease;
import io.shardload.keys.FileJournal;
import io.shardload.keys.JournalHeader;
import io.shardload.redis.Redis.Exchanged;
import io.shardload.redis.RedisException;
import io.shardload.remote.wire.Message;
import io.shardload.remote.wire.WireDecoder;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a generator concludes from its exchanges, on a clock of the test's own. */
class ContactTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int GENERATOR = 3;

  private long now = 100 * SECOND;
  private long tripNanos;
  private boolean answers = true;
  private final Map<String, String> run = new HashMap<>(Map.of("generators", "4", "beat", "1"));
  private final List<Message> received = new ArrayList<>();
  private final List<String> reasons = new ArrayList<>();
  private final List<Long> prolonged = new ArrayList<>();
  private final Contact.Outbox outbox = new Contact.Outbox();
  private final TimedLease lease = new TimedLease(() -> now, 4 * SECOND);
  private final Contact contact =
      new Contact(
          GENERATOR, () -> now, this::exchange, outbox, lease, reasons::add, prolonged::add);

  @TempDir Path directory;

  private static final long MS = 1_000_000;

  /** What Redis's clock shows at nanosecond 0 of the monotonic one. */
  private static final long REDIS = 1_700_000_000_000_000L;

  private long nanos;
  private long wallAheadMicros;
  private long redisAheadMicros;
  private final Deque<long[]> trips = new ArrayDeque<>();
  private final RedisClock clock = new RedisClock(() -> nanos, this::wall, this::askRedis);

  private Exchanged exchange(List<byte[]> messages) {
    now += tripNanos;
    messages.forEach(bytes -> received.add(WireDecoder.decode(bytes)));
    if (!answers) {
      throw new RedisException("no answer", null);
    }
    return new Exchanged(new HashMap<>(run), now / 1000);
  }

  private void seconds(int seconds, boolean beating) {
    for (int i = 0; i < seconds; i++) {
      now += SECOND;
      if (beating) {
        run.put("beat", run.get("beat") + "1");
      }
      contact.exchange();
    }
  }

  private static Message trouble(String text) {
    return new Message.Trouble(GENERATOR, "key", text, 2);
  }

  /** Mutations: lease from the answer on; a lease before anybody granted it. */
  @Test
  void theLeaseCountsFromSending() {
    tripNanos = SECOND;
    assertThat(lease.holds()).isFalse();
    assertThat(contact.exchange()).isTrue();
    now += 3 * SECOND - 1;
    assertThat(lease.holds()).isTrue();
    now += 1;
    assertThat(lease.holds()).isFalse();
  }

  /** Mutations: renew with an exchange that failed; stop with the first one that fails. */
  @Test
  void theLeaseEndsFourSecondsAfterTheLastAnswer() {
    contact.exchange();
    answers = false;
    seconds(3, false);
    assertThat(lease.holds()).isTrue();
    assertThat(reasons).isEmpty();
    assertThat(contact.isCut()).isFalse();
    seconds(1, false);
    assertThat(lease.holds()).isFalse();
    assertThat(contact.isCut()).isTrue();
    assertThat(reasons).containsExactly("lease-lost");
  }

  /** As after SIGSTOP, when Redis answers again. Mutation: renew what has run out. */
  @Test
  void aLeaseThatHasRunOutStaysSo() {
    contact.exchange();
    now += 7 * SECOND;
    assertThat(contact.exchange()).isTrue();
    assertThat(lease.holds()).isFalse();
    assertThat(reasons).containsExactly("lease-lost");
  }

  /** Mutation: wait for ever for the first answer. */
  @Test
  void withoutAnyAnswerThereIsNothingToWaitFor() {
    answers = false;
    seconds(4, false);
    assertThat(contact.isCut()).isFalse();
    seconds(1, false);
    assertThat(contact.isCut()).isTrue();
    assertThat(reasons).containsExactly("lease-lost");
  }

  /** Mutation: pass on what a generator that was given up reads. */
  @Test
  void theLengthOfTheWarmUpIsPassedOnWithEachExchange() {
    contact.exchange();
    assertThat(prolonged).isEmpty();
    run.put("prolonged_ns", "1000000000");
    seconds(2, true);
    run.put("prolonged_ns", "1500000000");
    seconds(1, true);
    run.put("lost:3", "1");
    seconds(1, true);
    assertThat(prolonged).containsExactly(SECOND, SECOND, SECOND * 3 / 2);
  }

  /** Mutation: look for another generator's mark. */
  @Test
  void whoIsGivenUpStopsAtOnce() {
    run.put("lost:2", "1");
    contact.exchange();
    assertThat(lease.holds()).isTrue();
    run.put("lost:3", "1");
    contact.exchange();
    assertThat(lease.holds()).isFalse();
    assertThat(reasons).containsExactly("lease-lost");
  }

  /** Mutation: take an empty hash for one without orders. */
  @Test
  void redisThatLostItsDataEndsTheLease() {
    contact.exchange();
    run.clear();
    contact.exchange();
    assertThat(lease.holds()).isFalse();
    assertThat(reasons).containsExactly("lease-lost");
  }

  /** Mutations: after 7 s; never; also while it rises. */
  @Test
  void theControllerIsLostEightSecondsAfterItsLastBeat() {
    contact.exchange();
    seconds(20, true);
    seconds(8, false);
    assertThat(reasons).isEmpty();
    seconds(1, false);
    assertThat(reasons).containsExactly("controller-lost");
    assertThat(lease.holds()).isTrue();
  }

  /** Mutation: pass every reason on as it is. */
  @Test
  void anOrderHasTheReasonOfALocalRun() {
    run.put("stop", "failed-steps");
    contact.exchange();
    run.put("stop", "generator-lost");
    contact.exchange();
    assertThat(reasons).containsExactly("stop", "generator-lost");
  }

  /** Mutation: let the exception end the thread. */
  @Test
  void whatCannotBeReadEndsTheRunWithItsReason() {
    contact.exchange();
    run.put("start_us", "soon");
    assertThat(contact.exchange()).isFalse();
    assertThat(reasons.get(0)).isEqualTo("exchange-failed");
    assertThat(lease.holds()).isFalse();
    assertThat(contact.isCut()).isTrue();
    assertThat(received.get(received.size() - 1))
        .isInstanceOfSatisfying(
            Message.Trouble.class,
            trouble ->
                assertThat(trouble.toString())
                    .contains("cannot use what Redis has of this run", "\"soon\""));
  }

  @Test
  void theStartIsKnownOnceItIsAgreed() {
    contact.exchange();
    assertThat(contact.start()).isEmpty();
    run.put("start_us", "1700000000123456");
    contact.exchange();
    assertThat(contact.start()).hasValue(1_700_000_000_123_456L);
  }

  /** Mutations: forget what was sent in vain; a beat beside a message. */
  @Test
  void whatDidNotArriveIsSentAgainInOrder() {
    answers = false;
    outbox.add(trouble("one"));
    contact.exchange();
    outbox.add(trouble("two"));
    answers = true;
    contact.exchange();
    contact.exchange();
    assertThat(received.subList(0, 3))
        .containsExactly(trouble("one"), trouble("one"), trouble("two"));
    assertThat(received.get(3)).isInstanceOf(Message.Beat.class);
    assertThat(received).hasSize(4);
  }

  /** A gap would be taken for data. Mutations: drop the newest and go on; grow without limit. */
  @Test
  void anOutboxThatOverflowsTakesNothingMore() {
    for (int i = 0; i < Contact.Outbox.MOST_MESSAGES + 2; i++) {
      outbox.add(trouble("" + i));
    }
    assertThat(outbox.size()).isEqualTo(Contact.Outbox.MOST_MESSAGES);
    contact.exchange();
    outbox.add(trouble("late"));
    assertThat(outbox.size()).isZero();
    assertThat(received).hasSize(Contact.Outbox.MOST_MESSAGES).contains(trouble("63"));
  }

  /** Mutation: send all at once, which takes longer than the answer may. */
  @Test
  void largeMessagesGoInSeveralExchanges() {
    for (int i = 0; i < 40; i++) {
      outbox.add(new Message.Segments(GENERATOR, i << 18, new byte[1 << 18]));
    }
    contact.exchange();
    assertThat(received).hasSize(16);
    contact.exchange();
    contact.exchange();
    assertThat(received).hasSize(40);
  }

  @Test
  void aTargetThatKeepsNothingHasNoJournal() throws Exception {
    RemoteMeeting.JournalTail tail = new RemoteMeeting.JournalTail(directory.resolve("none.jnl"));
    assertThat(tail.more()).isEmpty();
    assertThat(tail.offset()).isZero();
  }

  /** The pieces are the file. Mutations: the whole file each time; leave the header out. */
  @Test
  void eachByteIsTakenOnce() throws Exception {
    Path file = directory.resolve("journal.jnl");
    RemoteMeeting.JournalTail tail = new RemoteMeeting.JournalTail(file);
    ByteArrayOutputStream taken = new ByteArrayOutputStream();
    try (FileJournal journal = new FileJournal(file, new JournalHeader(0, 1, 20, 200, 2, "r"))) {
      for (int second = 0; second < 5; second++) {
        for (int i = 0; i < 1000 * second; i++) {
          journal.append(i, (short) second);
        }
        journal.flush();
        assertThat(tail.offset()).isEqualTo(taken.size());
        taken.write(tail.more());
        assertThat(taken.size()).isEqualTo(Math.toIntExact(Files.size(file)));
      }
      journal.append(7, (short) 7);
    }
    taken.write(tail.more());
    assertThat(tail.more()).isEmpty();
    assertThat(taken.toByteArray()).isEqualTo(Files.readAllBytes(file));
  }

  private long wall() {
    return REDIS + wallAheadMicros + nanos / 1000;
  }

  /** A trip: nanoseconds until Redis looks at its clock, and back. */
  private long askRedis() {
    long[] trip = trips.isEmpty() ? new long[] {MS, MS} : trips.remove();
    nanos += trip[0];
    long answer = REDIS + redisAheadMicros + nanos / 1000;
    nanos += trip[1];
    return answer;
  }

  // Redis's clock against the host's two clocks, all of them the test's own.

  /** Mutations: the first trip; the mean; the time after the trip. */
  @Test
  void theShortestRoundTripCounts() {
    wallAheadMicros = 3_000_000;
    trips.addAll(List.of(new long[] {90 * MS, MS}, new long[] {MS, MS}, new long[] {MS, 200 * MS}));
    clock.measure(3);
    assertThat(clock.uncertaintyMillis()).isEqualTo(1);
    assertThat(clock.offsetMillis()).isEqualTo(3000);
    assertThat(clock.nanoTimeAt(REDIS + 5_000_000)).isEqualTo(5000 * MS);
    assertThat(clock.redisMicrosAt(7000 * MS)).isEqualTo(REDIS + 7_000_000);
  }

  /**
   * A wall clock that is 3 s off, or is set, changes nothing of the start. Mutation: convert with
   * the wall clock.
   */
  @Test
  void theWallClockDecidesNothing() {
    clock.measure(1);
    long before = clock.nanoTimeAt(REDIS + 5_000_000);
    wallAheadMicros = -3_000_000;
    clock.measure(1);
    assertThat(clock.nanoTimeAt(REDIS + 5_000_000)).isEqualTo(before);
    assertThat(clock.offsetMillis()).isEqualTo(-3000);
  }

  /** The truth lies within the uncertainty, however uneven a trip is. */
  @Test
  void anUnevenTripIsWithinTheUncertainty() {
    trips.add(new long[] {9 * MS, MS});
    clock.measure(1);
    assertThat(clock.uncertaintyMillis()).isEqualTo(5);
    assertThat(Math.abs(clock.nanoTimeAt(REDIS) - 0)).isLessThanOrEqualTo(5 * MS);
  }

  /** Mutations: the sum of the steps; report what a clock is slewed. */
  @Test
  void theLargestStepOfTheWallClockIsReported() {
    clock.watchWallClock();
    for (int second = 0; second < 60; second++) {
      nanos += 1000 * MS;
      wallAheadMicros += 500;
      clock.watchWallClock();
    }
    assertThat(clock.stepMillis()).isZero();
    for (long step : new long[] {-2_000_000, 100_000, 1_500_000}) {
      nanos += 1000 * MS;
      wallAheadMicros += step;
      clock.watchWallClock();
    }
    assertThat(clock.stepMillis()).isEqualTo(-2000);
  }

  /** Mutations: take a slow trip or the machine's own clock for a step; the last step. */
  @Test
  void aStepOfRedissClockShowsBetweenTwoMeasurements() {
    clock.measure(1);
    nanos += 10_000 * MS;
    wallAheadMicros = 3_000_000;
    redisAheadMicros = 5_000;
    trips.add(new long[] {90 * MS, MS});
    clock.measure(1);
    assertThat(clock.redisStepMillis()).isZero();
    for (long ahead : new long[] {-30_000_000, -29_900_000}) {
      nanos += 1000 * MS;
      redisAheadMicros = ahead;
      clock.measure(1);
    }
    assertThat(clock.redisStepMillis()).isBetween(-30_100.0, -30_000.0);
  }
}
