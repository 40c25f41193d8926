package io.shardload.workload.statements;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Checks.Answer;
import io.shardload.workload.Checks.Effects;
import io.shardload.workload.Checks.Verdict;
import io.shardload.workload.Ports;
import io.shardload.workload.statements.definition.Definitions.CheckTime;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.StatementAdmin;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Mutations that turned it red: only as many rows compared as both have; numbers compared as
 * objects.
 */
class FolderChecksTest {
  private static final Map<String, Effects> EFFECTS = Map.of("place-order", new Effects(5, 2));

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
            Map.of("c", time), List.of("place-order"), ports -> Map.of("c", List.of(all)));
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
  void eachHasItsTime() throws CallFailure {
    assertThat(ask(true, CheckTime.AFTER, EFFECTS, statement("q"))).isEmpty();
    assertThat(ask(false, CheckTime.BEFORE, EFFECTS, statement("q"))).isEmpty();
    admin.answers.put("q{}", FakeAdmin.answer());
    assertThat(ask(true, CheckTime.BEFORE, EFFECTS, statement("q"))).hasSize(1);
  }
}
