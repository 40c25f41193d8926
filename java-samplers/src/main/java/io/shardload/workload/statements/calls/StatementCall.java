package io.shardload.workload.statements.calls;

import io.shardload.data.Draws;
import io.shardload.keys.Keys;
import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import io.shardload.workload.Phases;
import io.shardload.workload.Repeats;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.Step;
import java.util.List;

/**
 * One call of a transaction from files: with generated arguments, and a claimed new number if an
 * argument needs one. Judges rows as they arrive.
 */
public final class StatementCall implements Call<StatementStore>, Answers {
  static final long NO_ORDINAL = -1;

  private final StatementTransaction.Variant variant;
  private final Object[] arguments;
  private final Keys keys;
  private final long ordinal;
  private final long documents;
  private final EntityCalls.Claim claim;
  private String violated = "";
  private Object before;
  private boolean unjudged;
  private boolean refused;
  private long rows;
  private long changed;

  /** The statement that ended last, and which of its repetitions that was. */
  private int last = -1;

  private int repetition;
  private Outcome.Done earlier = new Outcome.Done(0, 0, false);

  /**
   * @param ordinal claimed for the call, or {@link #NO_ORDINAL}
   * @param documents the ordinal of the new number 0
   * @param claim the row of the entity that it works on, or null
   */
  StatementCall(
      StatementTransaction.Variant variant,
      Object[] arguments,
      Keys keys,
      long ordinal,
      long documents,
      EntityCalls.Claim claim) {
    this.variant = variant;
    this.arguments = arguments;
    this.keys = keys;
    this.ordinal = ordinal;
    this.documents = documents;
    this.claim = claim;
  }

  /** Draws whether a row of a read is compared whole, and which. */
  void sample(Draws draws) {
    if (claim != null) {
      claim.sample(draws);
    }
  }

  /** The plan that the call runs. */
  public Plan plan() {
    return variant.plan();
  }

  /** By the index of the plan's arguments; never changed. */
  public Object[] arguments() {
    return arguments;
  }

  @Override
  public void run(StatementStore store, Phases phases) throws CallFailure {
    store.run(variant.plan(), arguments, this, phases);
  }

  @Override
  public void begin() {
    violated = "";
    before = null;
    unjudged = false;
    refused = false;
    if (rows > earlier.rows()) {
      earlier = new Outcome.Done(rows, changed, false);
    }
    rows = 0;
    changed = 0;
    last = -1;
    if (claim != null) {
      claim.begin();
    }
  }

  @Override
  public void row(int statement, List<?> wanted, Equality equality) {
    Expectation expectation = variant.expectations().get(statement);
    if (violated.isEmpty()) {
      int now = statement == last ? repetition + 1 : 0;
      violated = expectation.violated(wanted, equality, arguments, now, before);
      if (violated.isEmpty() && claim != null && claim.reads()) {
        violated = claim.violated(wanted, equality);
      }
    }
    before = expectation.sorted() < 0 ? null : wanted.get(expectation.sorted());
  }

  @Override
  public void ended(int statement, long count) throws CallFailure {
    if (count == UNJUDGED) {
      unjudged = true;
      return;
    }
    rows += count;
    boolean writes = plan().statements().get(statement).writes();
    changed += writes ? count : 0;
    Step step = plan().steps().get(statement);
    before = null;
    repetition = statement == last ? repetition + 1 : 0;
    last = statement;
    if (!violated.isEmpty()) {
      throw ending(WRONG_ROW, statement, "a row violates " + violated);
    }
    // A row that a read works on may be deleted meanwhile: finish() knows whether it was.
    boolean isLeft = claim != null && claim.reads() && count == 0 && !step.refuses();
    if (!step.allows(count) && !isLeft) {
      refused = step.refuses() && (plan().isolation().atomic() || !writes || count == 0);
      throw ending(
          refused ? REFUSED : WRONG_ROW,
          statement,
          "the number of rows is %d, which violates rows".formatted(count));
    }
    if (count == 0 && !step.capture().isEmpty()) {
      throw ending(StatementStore.NOTHING_CAPTURED, statement, "no row to capture a value from");
    }
  }

  private CallFailure ending(String kind, int statement, String why) {
    String place = plan().statements().get(statement).place().toString();
    return new CallFailure(kind, true, false, place + ": " + why);
  }

  /**
   * An attempt that may have written is not repeated, because a second attempt would write again;
   * unless that fails with a duplicate key, or changes no row.
   */
  @Override
  public boolean mayRepeat(boolean unknown) {
    return repeats().unknown()
        || !(unknown && plan().writes())
        || (claim != null && claim.repeatable());
  }

  @Override
  public Repeats repeats() {
    return plan().repeats();
  }

  @Override
  public Outcome finish(CallFailure failure, boolean unknownBefore) {
    Outcome outcome = outcome(failure, unknownBefore);
    release(outcome, unknownBefore);
    return outcome;
  }

  private Outcome outcome(CallFailure failure, boolean unknownBefore) {
    if (refused && !unknownBefore) {
      return Outcome.REFUSED;
    }
    if (failure != null) {
      boolean duplicate = failure.kind().equals(CallFailure.DUPLICATE_KEY);
      boolean shows =
          (duplicate && repeats().unknown())
              || (claim != null && claim.showsEffect(failure, changed));
      if (shows && unknownBefore) {
        return earlier.rows() > 0 ? earlier : leastRows();
      }
      return Call.outcomeOf(failure, unknownBefore, plan().writes());
    }
    if (unjudged) {
      return Outcome.done(1);
    }
    boolean stale =
        claim != null && claim.reads() && claim.isStale(rows, plan().steps().get(0).most());
    return rows == 0 && !plan().writes()
        ? new Outcome.Missing(stale)
        : new Outcome.Done(rows, changed, stale);
  }

  /** What a call changed at least that took effect without an answer. */
  private Outcome.Done leastRows() {
    long least = plan().steps().stream().mapToLong(step -> Math.max(0, step.fewest())).sum();
    return new Outcome.Done(least, least, false);
  }

  private void release(Outcome outcome, boolean unknownBefore) {
    if (claim != null && !claim.reads()) {
      claim.end(outcome, unknownBefore);
    }
    if (ordinal == NO_ORDINAL) {
      return;
    }
    if (outcome instanceof Outcome.Done && plan().writes()) {
      if (!isClaimed()) {
        keys.release(ordinal, variant.numberTaken());
      }
      variant.adds().forEach(table -> table.add(ordinal - documents));
    } else if (!isClaimed()) {
      if (outcome instanceof Outcome.Failed || outcome instanceof Outcome.Refused) {
        keys.unclaim(ordinal);
      } else {
        keys.withdraw(ordinal, variant.numberUnknown());
      }
    }
  }

  /** Whether the new number belongs to the row, whose claim ends it. */
  private boolean isClaimed() {
    return claim != null && claim.ordinal() == ordinal;
  }

  /** The number is not used again. */
  @Override
  public void leaveUnknown() {
    if (claim != null && !claim.reads()) {
      claim.leaveUnknown();
    }
    if (ordinal != NO_ORDINAL && !isClaimed()) {
      keys.withdraw(ordinal, variant.numberUnknown());
    }
  }

  @Override
  public void abandon() {
    if (claim != null && !claim.reads()) {
      claim.abandon();
    }
    if (ordinal != NO_ORDINAL && !isClaimed()) {
      keys.unclaim(ordinal);
    }
  }
}
