package io.shardload.workload.statements;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Checks.Answer;
import io.shardload.workload.Checks.Effects;
import io.shardload.workload.Checks.Verdict;
import io.shardload.workload.Ports;
import io.shardload.workload.statements.Definitions.CheckTime;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Mutations that turned it red: only as many rows compared as both have; numbers compared as
 * objects.
 */
class FolderChecksTest {
  private static final Map<String, Effects> EFFECTS =
      Map.of("place-order", new Effects(5, 2, 3, 11));

  private final FakeAdmin admin = new FakeAdmin();

  private static Statement statement(String text, String... names) {
    List<String> pieces = names.length == 0 ? List.of(text) : List.of(text, "");
    return new SqlStatement(
        new Place("checks/c/postgresql.sql", 1), pieces, List.of(names), "select", false);
  }

  private List<Answer> ask(
      boolean before, CheckTime time, Map<String, Effects> effects, Statement... all)
      throws CallFailure {
    FolderChecks checks =
        new FolderChecks(
            Map.of("c", new Definitions.Check(time, List.of())),
            List.of("place-order"),
            Map.of("Orders.new", 7L),
            Map.of("limit", 9L),
            ports -> Map.of("c", List.of(all)));
    assertThat(checks.any(before)).isEqualTo(time.at(before));
    Ports ports =
        new Ports() {
          @Override
          public <P> P port(Class<P> type) {
            assertThat(type).isEqualTo(StatementAdmin.class);
            return type.cast(admin);
          }
        };
    return checks.ask(ports, before, effects);
  }

  private Answer after(Statement... all) throws CallFailure {
    return ask(false, CheckTime.BOTH, EFFECTS, all).get(0);
  }

  /** Mutation: without counts of calls it is not run. */
  @Test
  void theRowsThatTheLoadMadeNeedNoRun() throws CallFailure {
    Statement statement = statement("q", "loaded_orders_new");
    admin.answers.put("q?{loaded_orders_new=7}", new StatementAdmin.Answer(List.of(), 0));
    assertThat(ask(false, CheckTime.AFTER, null, statement).get(0).verdict())
        .isEqualTo(Verdict.CLEAN);
  }

  @Test
  void oneStatementMustReturnNothing() throws CallFailure {
    admin.answers.put("q{}", FakeAdmin.answer());
    assertThat(after(statement("q"))).isEqualTo(new Answer("c", Verdict.CLEAN, 0, ""));
    admin.answers.put("q{}", FakeAdmin.answer(1L, "x", 2L, "y"));
    assertThat(after(statement("q")))
        .isEqualTo(
            new Answer("c", Verdict.WRONG, 2, "returned 2 rows instead of none, such as a=1, b=x"));
  }

  @Test
  void twoStatementsMustAgree() throws CallFailure {
    Statement[] both = {statement("q"), statement("r")};
    admin.answers.put("q{}", FakeAdmin.answer(1L, null));
    admin.answers.put("r{}", FakeAdmin.answer(new BigDecimal("1.00"), null));
    assertThat(after(both)).isEqualTo(new Answer("c", Verdict.CLEAN, 1, ""));
    admin.answers.put("r{}", FakeAdmin.answer(1L, 0L));
    assertThat(after(both).detail())
        .isEqualTo("row 1: the first statement returned a=1, b=null, the second a=1, b=0");
    admin.answers.put("r{}", FakeAdmin.answer(1L, null, 2L, null));
    assertThat(after(both))
        .isEqualTo(
            new Answer("c", Verdict.WRONG, 1, "the first statement returned 1 rows, the second 2"));
  }

  /** A wrong value may break the statement of one check; the answers of others still count. */
  @Test
  void aStatementThatTheServerRefusesEndsItsCheckAlone() throws CallFailure {
    admin.refusedQuestion = "q{}";
    assertThat(after(statement("q")))
        .isEqualTo(new Answer("c", Verdict.FAILED, 0, "the target failed: refused: no number"));
    assertThatThrownBy(() -> ask(true, CheckTime.BOTH, EFFECTS, statement("q")))
        .isInstanceOf(CallFailure.class);
  }

  @Test
  void countsOfCallsAreArguments() throws CallFailure {
    Statement statement = statement("q", "done_place_order");
    admin.answers.put("q?{done_place_order=5}", FakeAdmin.answer(6L, "x"));
    assertThat(after(statement).detail())
        .isEqualTo("returned 1 row instead of none, such as a=6, b=x (done_place_order=5)");
    assertThat(ask(false, CheckTime.AFTER, null, statement).get(0).verdict())
        .isEqualTo(Verdict.NOT_RUN);
    admin.answers.put("q?{done_place_order=0}", FakeAdmin.answer());
    assertThat(ask(false, CheckTime.AFTER, Map.of(), statement).get(0).verdict())
        .isEqualTo(Verdict.CLEAN);
  }

  @Test
  void refusedCallsAndChangedRowsAreArguments() throws CallFailure {
    Statement statement = statement("q", "rows_place_order");
    admin.answers.put("q?{rows_place_order=11}", FakeAdmin.answer());
    assertThat(after(statement).verdict()).isEqualTo(Verdict.CLEAN);
    admin.answers.put("r?{refused_place_order=3}", FakeAdmin.answer());
    assertThat(after(statement("r", "refused_place_order")).verdict()).isEqualTo(Verdict.CLEAN);
    Map<String, Effects> older =
        Map.of("place-order", new Effects(5, 2, Effects.NOT_COUNTED, Effects.NOT_COUNTED));
    assertThat(ask(false, CheckTime.AFTER, older, statement))
        .containsExactly(
            new Answer(
                "c",
                Verdict.NOT_RUN,
                0,
                "calls of this data set were not counted for it (rows_place_order=-1); load"
                    + " --recreate begins again"));
    admin.answers.put("q?{done_place_order=5}", FakeAdmin.answer());
    assertThat(
            ask(false, CheckTime.AFTER, older, statement("q", "done_place_order")).get(0).verdict())
        .isEqualTo(Verdict.CLEAN);
  }

  @Test
  void eachHasItsTime() throws CallFailure {
    assertThat(ask(true, CheckTime.AFTER, EFFECTS, statement("q"))).isEmpty();
    assertThat(ask(false, CheckTime.BEFORE, EFFECTS, statement("q"))).isEmpty();
    admin.answers.put("q{}", FakeAdmin.answer());
    assertThat(ask(true, CheckTime.BEFORE, EFFECTS, statement("q"))).hasSize(1);
  }

  private static Tables tables() {
    return TableFixture.tables("customers", 10, "history", 0, "orders", 25);
  }

  // Turned red by emptying no table, and by emptying one that holds what was noted.

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

  /** Mutation: only the first range of all is looked at. */
  @Test
  void aRangeThatFailedIsLookedAtAgain() throws CallFailure {
    Tables tables = tables();
    tables.load(admin, 0, 20, done -> {});
    admin.unanswered = 25;
    assertThatThrownBy(() -> tables.load(admin, 20, 35, done -> {})).hasMessage("no answer");
    tables.load(admin, 20, 35, done -> {});
    assertThat(admin.done)
        .endsWith(
            "load orders 10 to 25", "empty orders", "load orders 0 to 10", "load orders 10 to 25");
    assertThat(tables.count(admin)).isEqualTo(35);
  }

  /** Mutation: every range is one that goes on. */
  @Test
  void whatTheServerRefusesTwiceStays() throws CallFailure {
    admin.refusesCopies = true;
    admin.rows.put("customers", 10L);
    admin.rows.put("orders", 17L); // 10 are noted
    Tables tables = tables();
    tables.load(admin, 20, 30, done -> {});
    tables.load(admin, 30, 35, done -> {});
    assertThat(admin.done).containsExactly("go on with orders 10 to 20", "load orders 20 to 25");
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

  /** Tables of two columns: a number and a text of as many letters. */
  private static final class TableFixture {
    private TableFixture() {}

    /** Names and numbers of rows in turn. */
    static Tables tables(Object... all) {
      List<Tables.Sized> tables = new ArrayList<>();
      for (int i = 0; i < all.length; i += 2) {
        tables.add(new Tables.Sized(rows((String) all[i]), (Integer) all[i + 1]));
      }
      return new Tables(tables);
    }

    private static TableRows rows(String name) {
      return new TableRows() {
        @Override
        public String table() {
          return name;
        }

        @Override
        public List<String> columns() {
          return List.of("id", "name");
        }

        @Override
        public List<ValueType> types() {
          return List.of(ValueType.INTEGER, ValueType.TEXT);
        }

        @Override
        public Object[] row(long number) {
          return new Object[] {number, "\u00f8".repeat((int) number)};
        }
      };
    }
  }
}
