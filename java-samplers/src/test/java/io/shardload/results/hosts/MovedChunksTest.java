package io.shardload.results.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MovedChunksTest {
  private static JsonObject moves(int count) {
    return BundleFixture.parse(
        IntStream.range(0, count)
            .mapToObj(
                i ->
                    "{'at':'2026-11-22T10:00:0%dZ','from':'s0','to':'s1','chunk':'x'}".formatted(i))
            .collect(Collectors.joining(",", "{'server':{'moves':[", "]}}")));
  }

  @Test
  void theMovesAndTheirTimes() {
    assertThat(MovedChunks.findings(moves(1)))
        .containsExactly(
            "the cluster moved 1 chunk between shards during the run, which loads these shards: s0 to s1 at 2026-11-22T10:00:00Z");
    assertThat(MovedChunks.findings(moves(2)).get(0))
        .endsWith("s0 to s1 at 2026-11-22T10:00:00Z, s0 to s1 at 2026-11-22T10:00:01Z");
  }

  @Test
  void ofManyTheFirst() {
    assertThat(MovedChunks.findings(moves(8)).get(0))
        .contains("moved 8 chunks", "10:00:04Z, and 3 more")
        .doesNotContain("10:00:05Z");
  }

  @Test
  void noneAndNotKnown() {
    assertThat(MovedChunks.findings(moves(0))).isEmpty();
    assertThat(MovedChunks.findings(BundleFixture.parse("{'server':{}}"))).isEmpty();
    assertThat(MovedChunks.findings(null)).isEmpty();
  }

  @Test
  void notKnownIsNotNone() {
    assertThat(
            MovedChunks.findings(
                BundleFixture.parse("{'server':{'moves_unknown':'13: not authorized'}}")))
        .containsExactly(
            "whether the cluster moved chunks during the run is not known: config.changelog cannot"
                + " be read: 13: not authorized");
  }
}
