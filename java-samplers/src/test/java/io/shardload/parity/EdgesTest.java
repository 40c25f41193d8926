package io.shardload.parity;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.workload.documentstore.DocumentStoreWorkload;
import org.junit.jupiter.api.Test;

class EdgesTest {
  /** Turned red by a transaction without edge cases. */
  @Test
  void everyTransactionHasEdgeCases() {
    assertThat(Edges.probes().keySet())
        .containsExactlyInAnyOrderElementsOf(new DocumentStoreWorkload().transactions());
    assertThat(Edges.probes().values()).noneMatch(probes -> probes.isEmpty());
  }
}
