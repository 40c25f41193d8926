package io.shardload.workload.documentstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.TablePart;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** What one thread reads and several check. */
class CheckingThreadsTest {
  private static final int ROWS = 1_000;

  private static Document row(int number) {
    return new Document(new UUID(0, 0), "" + number, "", 0, "", "", "text", 0);
  }

  /** Three batches and a rest. */
  private static final TablePart TABLE =
      visitor -> {
        for (int i = 0; i < ROWS; i++) {
          visitor.accept(row(i));
        }
      };

  @Test
  void everyRowIsCheckedBeforeTheEnd() throws Exception {
    Set<String> checked = ConcurrentHashMap.newKeySet();

    CheckingThreads.read(TABLE, 3, row -> checked.add(row.filter1()));

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
                      row -> {
                        if (row.filter1().equals(failing)) {
                          throw new IllegalStateException("row " + failing);
                        }
                      }))
          .hasMessage("row " + failing);
    }
  }
}
