package io.shardload.workload.statements.calls;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.shardload.data.Draws;
import io.shardload.keys.Keys;
import io.shardload.keys.State;
import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import io.shardload.workload.Phases;
import io.shardload.workload.Repeats;
import io.shardload.workload.Transaction;
import io.shardload.workload.statements.parameters.Parameter;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.Step;
import java.math.BigDecimal;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * What becomes of a call by what the store answers.
 *
 * <p>Mutations that turned it red: an expectation of a former attempt kept; a number withdrawn
 * after a failure that excludes the effect; an unknown write repeated.
 */
class StatementCallTest {
  private final CallFailure refused = new CallFailure("refused", true, true, "refused");
  private final CallFailure cutOff = new CallFailure("timeout", false, true, "cut off");
  private static final Map<String, Parameter> PARAMETERS =
      Map.of(
          "id", Fakes.constant(7),
          "new", Fakes.fresh(),
          "order", Fakes.fresh(),
          "newest_order", Fakes.newest(),
          "newest_customer", Fakes.newest(),
          "distinct", Fakes.distinct(),
          "drawn", Fakes.parameter(false, (draws, occasion) -> draws.next(1000)));

  private final Keys keys = Fakes.keys();

  private interface Answering {
    void to(Answers answers) throws CallFailure;
  }

  /** A store that gives only the answers that a test sets. */
  private static StatementStore fake(Answering answering) {
    return new StatementStore() {
      @Override
      public String system() {
        return "fake";
      }

      @Override
      public void run(Plan plan, Object[] arguments, Answers answers, Phases phases)
          throws CallFailure {
        answers.begin();
        answering.to(answers);
      }
    };
  }

  private Call<StatementStore> call(Plan plan) {
    return Fakes.transaction(PARAMETERS, false, plan).prepare(new Draws().at(1, 1), keys);
  }

  private Call<StatementStore> read(Step step) {
    return call(Fakes.plan(0, false, step, "id"));
  }

  private Call<StatementStore> insert() {
    return call(Fakes.plan(0, true, Fakes.one(Map.of()), "new"));
  }

  private static Outcome outcome(Call<StatementStore> call, Answering answering) {
    return call.finish(failure(call, answering), false);
  }

  private static CallFailure failure(Call<StatementStore> call, Answering answering) {
    try {
      call.run(fake(answering), Phases.NONE);
      return null;
    } catch (CallFailure e) {
      return e;
    }
  }

  private static Answering rows(Object... values) {
    return answers -> {
      for (Object value : values) {
        answers.row(0, Collections.singletonList(value), Equality.EXACT);
      }
      answers.ended(0, values.length);
    };
  }

  @Test
  void rowsAsExpectedAreDone() throws CallFailure {
    assertThat(outcome(read(Fakes.one(Map.of("id", "id"))), rows(7L))).isEqualTo(Outcome.done(1));
    assertThat(outcome(read(Step.ANY), rows("x", "y"))).isEqualTo(Outcome.done(2));
  }

  @Test
  void anotherValueOrNumberOfRowsIsAWrongRow() throws CallFailure {
    Outcome wrong = new Outcome.Failed("wrong-row");
    Step step = Fakes.one(Map.of("id", "id"));
    assertThat(outcome(read(step), rows(8L))).isEqualTo(wrong);
    assertThat(outcome(read(step), rows(7L, 7L))).isEqualTo(wrong);
    assertThat(outcome(read(step), rows())).isEqualTo(wrong);
    assertThat(outcome(read(step), rows(new Object[] {null}))).isEqualTo(wrong);
  }

  private static Step step(Step.Relation relation) {
    return new Step(-1, 9, List.of(new Step.Condition(relation, "c", "id")), null, Map.of());
  }

  /** Mutation: all parameters of a list must be equal. */
  @Test
  void aListOfParametersMeansOneOfThem() throws CallFailure {
    Step step =
        new Step(
            -1,
            9,
            List.of(
                new Step.Condition(Step.Relation.AMONG, "c", "id"),
                new Step.Condition(Step.Relation.AMONG, "c", "other")),
            null,
            Map.of());
    Plan plan = Fakes.plan(0, false, step, "id", "other");
    Map<String, Parameter> both = Map.of("id", Fakes.constant(7), "other", Fakes.constant(9));
    Transaction<StatementStore> transaction = Fakes.transaction(both, false, plan);
    assertThat(outcome(call(transaction, 1), rows(7L, 9L, 9L))).isEqualTo(Outcome.done(3));
    assertThat(outcome(call(transaction, 1), rows(8L))).isEqualTo(new Outcome.Failed("wrong-row"));
  }

  /** Systems have other orders and numbers of statements. Turned red by draws in their order. */
  @Test
  void comparedCallsHaveTheSameValuesByTheirNames() {
    Parameter drawn = PARAMETERS.get("drawn");
    Map<String, Parameter> three = Map.of("a", drawn, "b", drawn, "c", drawn);
    List<Plan> one = List.of(Fakes.plan(0, false, Step.ANY, "a", "b"));
    List<Plan> other =
        List.of(
            Fakes.plan(0, false, Step.ANY, "c", "b", "a"),
            Fakes.plan(1, false, Step.ANY, "c", "b", "a"));
    for (int i = 0; i < 20; i++) {
      Object[] values = compared(three, one, i);
      Object[] others = compared(three, other, i);
      assertThat(values).containsExactly(others[2], others[1]);
    }
    assertThat(compared(three, one, 1)).isNotEqualTo(compared(three, one, 2));
  }

  private Object[] compared(Map<String, Parameter> parameters, List<Plan> plans, long index) {
    Transaction<StatementStore> transaction =
        Fakes.transaction(parameters, true, plans.toArray(Plan[]::new));
    return call(transaction, index).arguments();
  }

  /** Mutation: greater holds for the same value, or NULL passes. */
  @Test
  void eachRowMustBeBeyondAParameterOrHaveItInItsList() throws CallFailure {
    Outcome wrong = new Outcome.Failed("wrong-row");
    Step greater = step(Step.Relation.GREATER);
    assertThat(outcome(read(greater), rows(8L, new BigDecimal("7.01")))).isEqualTo(Outcome.done(2));
    assertThat(outcome(read(greater), rows(8L, 7L))).isEqualTo(wrong);
    assertThat(outcome(read(greater), rows(8L, null))).isEqualTo(wrong);
    assertThat(outcome(read(greater), rows("8"))).as("not comparable").isEqualTo(wrong);
    Step least = step(Step.Relation.AT_LEAST);
    assertThat(outcome(read(least), rows(8L, 7L))).isEqualTo(Outcome.done(2));
    assertThat(outcome(read(least), rows(6L))).isEqualTo(wrong);
    Step most = step(Step.Relation.AT_MOST);
    assertThat(outcome(read(most), rows(6L, 7L))).isEqualTo(Outcome.done(2));
    assertThat(outcome(read(most), rows(8L))).isEqualTo(wrong);
    assertThat(outcome(read(most), rows(6L, null))).isEqualTo(wrong);
    Step less = step(Step.Relation.LESS);
    assertThat(outcome(read(less), rows(6L))).isEqualTo(Outcome.done(1));
    assertThat(outcome(read(less), rows(7L))).isEqualTo(wrong);
    Step contains = step(Step.Relation.CONTAINS);
    assertThat(outcome(read(contains), rows(list("[1, 7]"), list("[7.0]"))))
        .isEqualTo(Outcome.done(2));
    assertThat(outcome(read(contains), rows(list("[1, 7]"), list("[\"7\"]")))).isEqualTo(wrong);
    assertThat(outcome(read(contains), rows(7L))).as("not a list").isEqualTo(wrong);
  }

  private static JsonElement list(String text) {
    return JsonParser.parseString(text);
  }

  /** Mutation: the order begins anew with each row, or goes on into another attempt. */
  @Test
  void rowsInTheOrderOfAColumn() throws CallFailure {
    Step down = new Step(-1, 9, List.of(), new Step.Order("c", true), Map.of());
    Step up = new Step(-1, 9, List.of(), new Step.Order("c", false), Map.of());
    Outcome wrong = new Outcome.Failed("wrong-row");
    assertThat(outcome(read(down), rows("b", "b", "a"))).isEqualTo(Outcome.done(3));
    assertThat(outcome(read(down), rows("a", "b"))).isEqualTo(wrong);
    assertThat(outcome(read(up), rows(1L, null, 2L))).isEqualTo(Outcome.done(3));
    assertThat(outcome(read(up), rows(2L, 1L))).isEqualTo(wrong);
    Call<StatementStore> call = read(up);
    assertThat(failure(call, rows(5L))).isNull();
    assertThat(failure(call, rows(1L))).as("another attempt").isNull();
  }

  private static Plan guarded(Isolation isolation, boolean writes, Repeats repeats) {
    Step guard = new Step(1, 1, List.of(), null, Map.of(), true, "");
    return new Plan(
        "t",
        0,
        isolation,
        List.of("new"),
        List.of(Fakes.statement(writes, "new")),
        List.of(guard),
        repeats);
  }

  /**
   * Mutations: a write that changed rows is refused without a transaction; a wrong value too; the
   * refusal of an attempt before the last one counts.
   */
  @Test
  void aGuardRefuses() throws CallFailure {
    Plan read = guarded(Isolation.NONE, false, Repeats.BY_PROFILE);
    assertThat(outcome(call(read), rows())).isEqualTo(Outcome.REFUSED);
    assertThat(outcome(call(read), rows(1L, 2L))).isEqualTo(Outcome.REFUSED);
    assertThat(outcome(call(read), rows(1L))).isEqualTo(Outcome.done(1));
    Plan alone = guarded(Isolation.NONE, true, Repeats.BY_PROFILE);
    assertThat(outcome(call(alone), rows())).isEqualTo(Outcome.REFUSED);
    assertThat(outcome(call(alone), rows(1L, 2L))).isNotEqualTo(Outcome.REFUSED);
    Plan together = guarded(Isolation.DEFAULT, true, Repeats.BY_PROFILE);
    assertThat(outcome(call(together), rows(1L, 2L))).isEqualTo(Outcome.REFUSED);
    Call<StatementStore> call = call(together);
    assertThat(failure(call, rows()).kind()).isEqualTo("refused");
    assertThat(outcome(call, rows(1L))).isEqualTo(new Outcome.Done(1, 1, false));
    Step equal =
        new Step(
            1,
            1,
            List.of(new Step.Condition(Step.Relation.EQUAL, "id", "id")),
            null,
            Map.of(),
            true,
            "");
    assertThat(outcome(read(equal), rows(8L))).isEqualTo(new Outcome.Failed("wrong-row"));
  }

  /** The number of a refused call is used again, as that of a failed one. */
  @Test
  void aRefusedCallTakesNoNumber() {
    Plan plan = guarded(Isolation.DEFAULT, true, Repeats.BY_PROFILE);
    for (int i = 0; i < 3; i++) {
      assertThat(outcome(call(plan), rows())).isEqualTo(Outcome.REFUSED);
    }
    assertThat(number(call(plan))).isZero();
  }

  /** Mutation: a duplicate key without an unknown attempt before is done. */
  @Test
  void aDuplicateKeyAfterAnUnansweredAttemptIsDone() throws CallFailure {
    CallFailure duplicate = new CallFailure("duplicate-key", true, false, "there already");
    Plan plan = guarded(Isolation.DEFAULT, true, new Repeats(-1, 0, 0, true));
    Call<StatementStore> call = call(plan);
    assertThat(call.mayRepeat(true)).isTrue();
    assertThat(failure(call, rows(1L))).as("the commit had no answer").isNull();
    call.run(fake(Answers::begin), Phases.NONE);
    assertThat(call.finish(duplicate, true)).isEqualTo(new Outcome.Done(1, 1, false));
    assertThat(call(plan).finish(duplicate, false)).isEqualTo(new Outcome.Failed("duplicate-key"));
    assertThat(call(plan).finish(cutOff, true)).isEqualTo(new Outcome.Unknown("timeout"));
    Call<StatementStore> refusedAgain = call(plan);
    CallFailure guard = failure(refusedAgain, rows());
    assertThat(refusedAgain.finish(guard, true)).isEqualTo(new Outcome.Unknown("refused"));
  }

  @Test
  void aReadWithoutRowsIsMissingAndAWriteIsNot() throws CallFailure {
    assertThat(outcome(read(Step.ANY), rows())).isEqualTo(Outcome.MISSING);
    assertThat(outcome(call(Fakes.plan(0, true, Step.ANY, "id")), rows()))
        .isEqualTo(Outcome.done(0));
  }

  @Test
  void aTargetWithoutDataIsNotJudged() throws CallFailure {
    assertThat(outcome(read(Fakes.one(Map.of())), answers -> answers.ended(0, Answers.UNJUDGED)))
        .isEqualTo(Outcome.done(1));
  }

  @Test
  void onlyTheLastAttemptCounts() throws CallFailure {
    Call<StatementStore> call = read(Fakes.one(Map.of("id", "id")));
    assertThat(failure(call, rows(8L))).isNotNull();
    assertThat(outcome(call, rows(7L))).isEqualTo(Outcome.done(1));
  }

  @Test
  void aWriteWithoutAnAnswerIsUnknownAndNotRepeated() {
    Call<StatementStore> write = insert();
    assertThat(write.mayRepeat(true)).isFalse();
    assertThat(write.mayRepeat(false)).isTrue();
    assertThat(write.finish(cutOff, false)).isEqualTo(new Outcome.Unknown("timeout"));
    assertThat(read(Step.ANY).mayRepeat(true)).isTrue();
    assertThat(read(Step.ANY).finish(cutOff, false)).isEqualTo(new Outcome.Failed("timeout"));
  }

  @Test
  void aMissingRowToCaptureEndsTheCall() {
    Map<String, String> capture = Map.of("seen", "id");
    assertThat(outcome(read(new Step(-1, Long.MAX_VALUE, Map.of(), capture)), rows()))
        .isEqualTo(new Outcome.Failed("nothing-captured"));
    assertThat(outcome(read(new Step(1, 1, Map.of(), capture)), rows()))
        .isEqualTo(new Outcome.Failed("wrong-row"));
  }

  @Test
  void whatEndsACallNamesTheStatement() {
    Step one = Fakes.one(Map.of("id", "id"));
    Step captures = new Step(-1, Long.MAX_VALUE, Map.of(), Map.of("seen", "id"));
    assertThat(
            List.of(
                failure(read(one), rows(7L, 7L)).getMessage(),
                failure(read(one), rows(8L)).getMessage(),
                failure(read(captures), rows()).getMessage()))
        .containsExactly(
            "transactions/t/postgresql.sql:1: the number of rows is 2, which violates rows",
            "transactions/t/postgresql.sql:1: a row violates equal",
            "transactions/t/postgresql.sql:1: no row to capture a value from");
  }

  private long number(Call<StatementStore> call) {
    return (long) ((StatementCall) call).arguments()[0];
  }

  @Test
  void freshNumbersBeginAtZeroAndEndWithWhatIsKnown() throws CallFailure {
    Call<StatementStore> done = insert();
    Call<StatementStore> unknown = insert();
    Call<StatementStore> wrong = insert();
    assertThat(List.of(number(done), number(unknown), number(wrong))).containsExactly(0L, 1L, 2L);

    assertThat(outcome(done, rows(1L))).isEqualTo(new Outcome.Done(1, 1, false));
    unknown.finish(cutOff, false);
    CallFailure committed = new CallFailure("wrong-row", false, false, "a single write");
    assertThat(wrong.finish(committed, false)).isEqualTo(new Outcome.Unknown("wrong-row"));

    assertThat(State.live(keys.state(Fakes.DOCUMENTS))).isTrue();
    // Neither is used again: the server may hold it.
    assertThat(State.live(keys.state(Fakes.DOCUMENTS + 1))).isFalse();
    assertThat(number(insert())).isEqualTo(3);
  }

  @Test
  void aNumberThatSurelyHadNoEffectIsGivenBack() {
    for (int i = 0; i < 2; i++) {
      insert().finish(refused, false);
    }
    insert().abandon();
    // The third failure in a row shows an outage: numbers are claimed again.
    assertThat(number(insert())).isEqualTo(0);
  }

  private static Map<String, Transaction<StatementStore>> transactions(
      Map<String, List<Plan>> plans) {
    String section =
        "{\"order\": {\"type\": \"sequential\", \"table\": \"orders\"},"
            + "\"newest_order\": {\"type\": \"reference\", \"table\": \"orders\"},"
            + "\"newest_customer\": {\"type\": \"reference\", \"table\": \"customers\"}}";
    return new Calls(
            PARAMETERS,
            JsonParser.parseString(section).getAsJsonObject(),
            Fakes.DOCUMENTS,
            () -> 5,
            false,
            null,
            Map.of(),
            Map.of(),
            false)
        .transactions(plans);
  }

  private StatementCall call(Transaction<StatementStore> transaction, long index) {
    return (StatementCall) transaction.prepare(new Draws().at(1, index), keys);
  }

  /** Turned red by one memory for all tables. */
  @Test
  void rowsThatWereAddedAreRememberedByTable() {
    var all =
        transactions(
            Map.of(
                "add", List.of(Fakes.plan(0, true, Step.ANY, "order")),
                "read",
                    List.of(Fakes.plan(0, false, Step.ANY, "newest_order", "newest_customer"))));
    assertThat(call(all.get("read"), 1).arguments()).containsExactly(-1L, -1L);
    call(all.get("add"), 2).finish(null, false);
    StatementCall second = call(all.get("add"), 3);
    assertThat(second.finish(null, false)).isEqualTo(Outcome.done(0));
    assertThat(call(all.get("read"), 4).arguments()).containsExactly(1L, -1L);
    assertThat(all.get("add").takesNewKeys()).isTrue();
    assertThat(all.get("read").takesNewKeys()).isFalse();
    assertThat(all.get("add").writes()).isTrue();
    assertThat(all.get("read").writes()).isFalse();
  }

  /** As a uuid: what a run inserts must not be there already. A read has nothing to insert. */
  @Test
  void valuesThatMustBeDistinctTakeAFreshNumberWhereTheyAreWritten() {
    var all =
        transactions(
            Map.of(
                "add", List.of(Fakes.plan(0, true, Step.ANY, "distinct")),
                "read", List.of(Fakes.plan(0, false, Step.ANY, "distinct"))));
    assertThat(call(all.get("add"), 1).arguments()).containsExactly(0L);
    assertThat(call(all.get("add"), 1).arguments()).containsExactly(1L);
    assertThat(call(all.get("read"), 1).arguments()).containsExactly(-1L);
    assertThat(all.get("add").takesNewKeys()).isTrue();
    assertThat(all.get("read").takesNewKeys()).isFalse();
  }

  /** 10 000 draws of 4 variants: 2500 each, standard deviation 43. */
  @Test
  void aDrawChoosesTheVariant() {
    List<Plan> variants =
        IntStream.range(0, 4).mapToObj(i -> Fakes.plan(i, false, Step.ANY, "drawn")).toList();
    Transaction<StatementStore> transaction = transactions(Map.of("t", variants)).get("t");
    long[] counts = new long[4];
    for (int index = 0; index < 10_000; index++) {
      counts[call(transaction, index).plan().variant()]++;
    }
    assertThat(LongStream.of(counts).boxed()).allMatch(n -> n > 2200 && n < 2800);
    StatementCall one = call(transaction, 9);
    StatementCall again = call(transaction, 9);
    assertThat(again.plan()).isSameAs(one.plan());
    assertThat(again.arguments()).containsExactly(one.arguments());
  }

  @Test
  void theNewestRowsAreKept() {
    Calls.AddedRows rows = new Calls.AddedRows();
    for (long fresh = 0; fresh < 3L * Calls.AddedRows.MOST + 5; fresh++) {
      rows.add(fresh);
    }
    assertThat(rows.at(0)).isEqualTo(3L * Calls.AddedRows.MOST + 4);
    assertThat(rows.at(rows.count() - 1)).isEqualTo(3L * Calls.AddedRows.MOST + 5 - rows.count());
    assertThat(rows.count()).isLessThanOrEqualTo(Calls.AddedRows.MOST);
  }
}
