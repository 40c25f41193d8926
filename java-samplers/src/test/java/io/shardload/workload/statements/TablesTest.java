package io.shardload.workload.statements;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.workload.CallFailure;
import org.junit.jupiter.api.Test;

/** Turned red by emptying no table, and by emptying one that holds what was noted. */
class TablesTest {
  private final FakeAdmin admin = new FakeAdmin();

  private static Tables tables() {
    return TableFixture.tables("customers", 10, "history", 0, "orders", 25);
  }

  @Test
  void aRangeIsCutAtTheTables() throws CallFailure {
    Tables tables = tables();
    long[] progress = new long[1];
    tables.load(admin, 0, 20, done -> progress[0] = done);
    tables.load(admin, 20, 35, done -> progress[0] += done);
    assertThat(admin.done)
        .containsExactly("load customers 0 to 10", "load orders 0 to 10", "load orders 10 to 25");
    assertThat(progress[0]).isEqualTo(35);
    assertThat(tables.rows()).isEqualTo(35);
    assertThat(tables.count(admin)).isEqualTo(35);
  }

  @Test
  void whatAnInterruptedLoadLeftIsLoadedAnew() throws CallFailure {
    admin.rows.put("customers", 10L);
    admin.rows.put("orders", 17L); // 10 are noted
    tables().load(admin, 20, 35, done -> {});
    assertThat(admin.done)
        .containsExactly("empty orders", "load orders 0 to 10", "load orders 10 to 25");
    assertThat(tables().count(admin)).isEqualTo(35);
  }

  /** 10 rows of 8 bytes and 0 to 9 letters of 2 bytes; 30 of 8 bytes and 0 to 29 letters. */
  @Test
  void theMeanSizeIsThatOfTheValues() {
    assertThat(TableFixture.tables("customers", 10).meanBytes()).isEqualTo(17);
    assertThat(TableFixture.tables("customers", 10, "orders", 30).meanBytes())
        .isEqualTo(Math.round((10 * 17 + 30 * 37) / 40.0));
    assertThat(TableFixture.tables("history", 0).meanBytes()).isEqualTo(1);
  }

  @Test
  void whatIsNotedStays() throws CallFailure {
    admin.rows.put("customers", 10L);
    admin.rows.put("orders", 10L);
    tables().load(admin, 20, 35, done -> {});
    assertThat(admin.done).containsExactly("load orders 10 to 25");
  }
}
