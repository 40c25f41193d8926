package io.shardload.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** What one thread reads and several check. */
class CheckingThreadsTest {
  private static final int ROWS = 1_000;

  /** Three batches and a rest. */
  private static final CheckingThreads.Source<String> TABLE =
      visitor -> {
        for (int i = 0; i < ROWS; i++) {
          visitor.accept("" + i);
        }
      };

  @Test
  void everyRowIsCheckedBeforeTheEnd() throws Exception {
    Set<String> checked = ConcurrentHashMap.newKeySet();

    CheckingThreads.read(TABLE, 3, String::length, checked::add);

    assertThat(checked).hasSize(ROWS).contains("0", "255", "256", "999");
  }

  @Test
  void aFailedCheckIsThrown() {
    for (String failing : new String[] {"0", "999"}) {
      assertThatThrownBy(
              () ->
                  CheckingThreads.read(
                      TABLE,
                      2,
                      String::length,
                      row -> {
                        if (row.equals(failing)) {
                          throw new IllegalStateException("row " + failing);
                        }
                      }))
          .hasMessage("row " + failing);
    }
  }
}
