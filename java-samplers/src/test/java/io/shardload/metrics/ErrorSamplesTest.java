package io.shardload.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import org.junit.jupiter.api.Test;

/**
 * One sample of each kind.
 *
 * <p>Mutations that turned it red: the last message kept instead of the first; no bound of the
 * kinds; the text as it is.
 */
class ErrorSamplesTest {
  private final ErrorSamples samples = new ErrorSamples();

  private void add(Outcome outcome, String message) {
    samples.add(outcome, new CallFailure("of the call", false, true, message));
  }

  @Test
  void theFirstMessageOfEachKindIsKeptUnderTheKindOfTheOutcome() {
    add(new Outcome.Failed("node-lost"), "ERROR: connection to the remote node failed");
    add(new Outcome.Unknown("timeout"), "first");
    add(new Outcome.Failed("timeout"), "second");
    add(Outcome.done(1), "was done by the retry");
    samples.add(new Outcome.Failed("wrong-row"), null);

    assertThat(samples.toJson().toString())
        .isEqualTo(
            "{\"node-lost\":\"ERROR: connection to the remote node"
                + " failed\",\"timeout\":\"first\"}");
  }

  @Test
  void aMessageIsOneShortLineWithoutPasswords() {
    add(new Outcome.Failed("lines"), " a\n  b\u001b[31m\tc ");
    add(new Outcome.Failed("url"), "cannot reach mongodb://app:s3cret@h1:27017/db");
    add(new Outcome.Failed("dsn"), "failed to connect: host=h password=s3cret user=u");
    add(new Outcome.Failed("long"), "x".repeat(301));
    add(new Outcome.Failed("fits"), "y".repeat(300));

    assertThat(samples.toJson().get("lines").getAsString()).isEqualTo("a b [31m c");
    assertThat(samples.toJson().get("url").getAsString())
        .isEqualTo("cannot reach mongodb://app:***@h1:27017/db");
    assertThat(samples.toJson().get("dsn").getAsString())
        .isEqualTo("failed to connect: host=h password=*** user=u");
    assertThat(samples.toJson().get("long").getAsString()).isEqualTo("x".repeat(297) + "...");
    assertThat(samples.toJson().get("fits").getAsString()).isEqualTo("y".repeat(300));
  }

  @Test
  void kindsAreBounded() {
    for (int i = 0; i < 60; i++) {
      add(new Outcome.Failed("sqlstate-" + (10_000 + i)), "m" + i);
    }

    assertThat(samples.toJson().size()).isEqualTo(50);
    assertThat(samples.toJson().get("sqlstate-10049").getAsString()).isEqualTo("m49");
    assertThat(samples.toJson().has("sqlstate-10050")).isFalse();
  }
}
