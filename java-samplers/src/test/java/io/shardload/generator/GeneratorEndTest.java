package io.shardload.generator;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GeneratorEndTest {
  @Test
  void theLastScrapeIsAwaitedAfterAPlannedEndAndBrieflyAfterAStop() {
    assertThat(GeneratorEnd.mostWait("schedule")).isEqualTo(Duration.ofSeconds(15));
    assertThat(GeneratorEnd.mostWait("stop")).isEqualTo(Duration.ofSeconds(2));
  }

  @ParameterizedTest
  @ValueSource(strings = {"stdin-closed", "signal", "lease-lost", "records-failed", "disk-full"})
  void whereSomethingWentWrongNobodyWaits(String stopReason) {
    assertThat(GeneratorEnd.mostWait(stopReason)).isZero();
  }
}
