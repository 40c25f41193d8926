package io.shardload.results;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** What summary and findings say of the warm-up and of the JIT compilers. */
class WarmUpLengthTest extends Finished {
  private static final long MS = 1_000_000;

  /** Warm-up of 2 s, prolonged by 1 s; hold of 3 s. One core is used, a part of it by compilers. */
  private BundleFixture.Generator run(long jitMillis) {
    bundle.segment("warm-up", "warm-up", 2, 10).segment("hold", "hold", 3, 10);
    BundleFixture.Generator generator = bundle.generator(0);
    generator.prolongedSeconds = 1;
    generator.cpuNanosPerSecond = 1000 * MS;
    generator.jitNanosPerSecond = jitMillis * MS;
    for (int second = 0; second < 6; second++) {
      generator.done(second, second < 3 ? "warm-up" : "hold", "update", 10);
    }
    return generator;
  }

  /** Mutation: the segments of the profile; then the hold is over after 2 s and has 15/s. */
  @Test
  void whatFollowsAProlongedWarmUpIsAsLongAsInTheProfile() throws IOException {
    run(90);
    JsonObject summary = summary();
    assertThat(summary.get("warm_up"))
        .isEqualTo(
            BundleFixture.parse("{'seconds':3.0,'prolonged_seconds':1.0,'jit_percent':9.0}"));
    JsonObject hold = Json.array(summary, "steps").get(0).getAsJsonObject();
    assertThat(hold.get("seconds").getAsDouble()).isEqualTo(3.0);
    assertThat(hold.get("cut").getAsBoolean()).isFalse();
    assertThat(hold.get("offered_per_second").getAsDouble()).isEqualTo(10.0);
    assertThat(hold.get("generator_jit_percent").getAsDouble()).isEqualTo(9.0);
  }

  @Test
  void compilersThatAreBusyInTheResultsAreAFinding() throws IOException {
    run(90);
    assertThat(findings())
        .contains(
            "the JIT compiler took 9.0 % of the generator's CPU time in hold, after a warm-up of"
                + " 3.0 s (1.0 s of it beyond the profile): a longer warm-up shows the steady state");
  }

  @Test
  void aRunWithoutAWarmUpHasTheFindingToo() throws IOException {
    bundle.segment("hold", "hold", 2, 10);
    BundleFixture.Generator generator = bundle.generator(0);
    generator.cpuNanosPerSecond = 1000 * MS;
    generator.jitNanosPerSecond = 300 * MS;
    generator.done(0, "hold", "update", 10).done(1, "hold", "update", 10);
    JsonObject summary = summary();
    assertThat(summary.get("warm_up").isJsonNull()).isTrue();
    assertThat(BundleFixture.texts(summary, "findings"))
        .contains(
            "the JIT compiler took 30.0 % of the generator's CPU time in hold, after no warm-up:"
                + " a longer warm-up shows the steady state");
  }

  /** Five percent of the CPU time, but no more than 5 % of a core; and what is not known. */
  @Test
  void compilersThatTakeLittleAreNone() throws IOException {
    run(50);
    assertThat(findings()).noneMatch(finding -> finding.contains("JIT"));
    createBundle();
    run(-1);
    JsonObject summary = summary();
    assertThat(Json.object(summary, "warm_up").get("jit_percent").isJsonNull()).isTrue();
    assertThat(BundleFixture.texts(summary, "findings"))
        .noneMatch(finding -> finding.contains("JIT"));
  }
}
