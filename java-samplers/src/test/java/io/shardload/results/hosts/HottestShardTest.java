package io.shardload.results.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import org.junit.jupiter.api.Test;

class HottestShardTest {
  private static JsonObject environment(String placement) {
    return BundleFixture.parse("{'server':{'placement':" + placement + "}}");
  }

  @Test
  void aShardWithMuchMoreThanItsShareIsPointedOut() {
    assertThat(
            HottestShard.findings(
                environment(
                    "[{'shard':'w1:1','documents_share':0.3,'operations_share':0.3},"
                        + "{'shard':'w2:1','documents_share':0.7,'operations_share':0.7}]")))
        .containsExactly(
            "the hottest shard, w2:1, holds 70.0 % of the documents (1.40 times the mean) and takes"
                + " 70.0 % of the operations (1.40 times the mean): it reaches its limit before the other shards do");
  }

  @Test
  void operationsThatAreNotKnownAreNotTold() {
    assertThat(
            HottestShard.findings(
                environment(
                    "[{'shard':'s0','documents_share':0.642857},"
                        + "{'shard':'s1','documents_share':0.357143}]")))
        .containsExactly(
            "the hottest shard, s0, holds 64.3 % of the documents (1.29 times the mean): it reaches"
                + " its limit before the other shards do");
  }

  @Test
  void theOperationsMayBeWhatIsUneven() {
    assertThat(
            HottestShard.findings(
                environment(
                    "[{'shard':'s0','documents_share':0.5,'operations_share':0.25},"
                        + "{'shard':'s1','documents_share':0.5,'operations_share':0.75}]")))
        .containsExactly(
            "the hottest shard, s1, holds 50.0 % of the documents (1.00 times the mean) and takes"
                + " 75.0 % of the operations (1.50 times the mean): it reaches its limit before the other shards do");
  }

  /** 5 of 12 and 3.5 of 12 of three shards: 1.25 times the mean is let pass. */
  @Test
  void luckOfHashingAndNoPlacementAreNotPointedOut() {
    assertThat(
            HottestShard.findings(
                environment(
                    "[{'shard':'s0','documents_share':0.416666},"
                        + "{'shard':'s1','documents_share':0.291667},"
                        + "{'shard':'s2','documents_share':0.291667}]")))
        .isEmpty();
    assertThat(HottestShard.findings(environment("[]"))).isEmpty();
    assertThat(HottestShard.findings(null)).isEmpty();
  }
}
