package io.shardload.remote.generator;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.generator.meeting.TimedLease;
import io.shardload.redis.Redis.Exchanged;
import io.shardload.redis.RedisException;
import io.shardload.remote.wire.Message;
import io.shardload.remote.wire.WireDecoder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

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
  private final Outbox outbox = new Outbox();
  private final TimedLease lease = new TimedLease(() -> now, 4 * SECOND);
  private final Contact contact =
      new Contact(GENERATOR, () -> now, this::exchange, outbox, lease, reasons::add);

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
    for (int i = 0; i < Outbox.MOST_MESSAGES + 2; i++) {
      outbox.add(trouble("" + i));
    }
    assertThat(outbox.size()).isEqualTo(Outbox.MOST_MESSAGES);
    contact.exchange();
    outbox.add(trouble("late"));
    assertThat(outbox.size()).isZero();
    assertThat(received).hasSize(Outbox.MOST_MESSAGES).contains(trouble("63"));
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
}
