package io.shardload.workload.statements.calls;

import io.shardload.data.Draws;
import io.shardload.keys.Keys;
import io.shardload.keys.State;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import io.shardload.workload.statements.parameters.Entity;
import io.shardload.workload.statements.parameters.Occasion;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Step;
import io.shardload.workload.statements.port.Values;
import java.util.List;

/**
 * The calls of a transaction that works on a row of the entity. Immutable and thread-safe.
 *
 * @param documents rows that were loaded into all tables: ordinals from there on are new rows
 * @param choice of a read among the rows; null if any will do
 * @param answer the columns that a read returns; null for a write
 * @param repeatable whether a write that is repeated shows that it has taken effect before
 */
record EntityCalls(
    Entity entity,
    Effect effect,
    Choice choice,
    long documents,
    Answer answer,
    boolean repeatable) {
  /** A read compares so many bytes with the right ones in the mean, as it must make them again. */
  private static final long BYTES = 64;

  /** At most one call among so many compares a row, as each column costs, however small. */
  private static final long FEWEST_CALLS = 8;

  /** Of the rows of a read it compares one, among so many first ones. */
  private static final long MOST_ROWS = 8;

  /** To find one more row of a group. */
  private static final int MOST_TRIES = 8;

  /**
   * Where the columns of the entity are among those that the driver hands over.
   *
   * @param edition -1 if the entity has no edition
   * @param columns of the entity, by the index of what is handed over; -1 for others
   * @param bytes of a row; of a small one as if it were larger
   * @param rows among which one is compared
   */
  @SuppressWarnings("ArrayRecordComponent") // Read on the timed path, never compared or changed.
  record Answer(int key, int edition, int[] columns, long bytes, long rows) {
    static Answer of(Entity entity, Step step) {
      List<String> wanted = step.wanted();
      List<String> names = entity.table().columns();
      List<String> answered = step.answer();
      return new Answer(
          wanted.indexOf(entity.keyColumn()),
          entity.edition() < 0 ? -1 : wanted.indexOf(names.get(entity.edition())),
          wanted.stream()
              .mapToInt(column -> answered.contains(column) ? names.indexOf(column) : -1)
              .toArray(),
          Math.max(FEWEST_CALLS * BYTES, Math.round(entity.table().meanBytes())),
          Math.max(1, Math.min(MOST_ROWS, step.most())));
    }
  }

  /**
   * @param isUnique whether the server refuses a second copy of a row
   */
  static EntityCalls of(
      Entity entity, Effect effect, Choice choice, Plan plan, long documents, boolean isUnique) {
    Answer answer = effect == Effect.READ ? Answer.of(entity, plan.steps().get(0)) : null;
    boolean repeatable =
        plan.statements().size() == 1
            && switch (effect) {
              // The client makes another _id for each attempt that has none.
              case INSERT ->
                  isUnique
                      && (plan.statements().get(0) instanceof SqlStatement
                          || plan.arguments().contains(entity.name() + "._id"));
              case UPDATE -> plan.arguments().contains(entity.before());
              case DELETE -> true;
              case READ -> false;
            };
    return new EntityCalls(entity, effect, choice, documents, answer, repeatable);
  }

  /** Claims a row for a call; null if there is none to work on. */
  Claim claim(Draws draws, Keys keys) {
    long ordinal =
        switch (effect) {
          case INSERT -> keys.claimNew();
          case UPDATE -> keys.claimLive(draws);
          case DELETE -> keys.claimToDelete(draws);
          case READ -> choice == null ? keys.pickLive(draws) : least(draws, keys);
        };
    if (ordinal < 0) {
      return null;
    }
    short before = keys.state(ordinal);
    return effect != Effect.READ || State.live(before)
        ? new Claim(this, keys, ordinal, before)
        : null;
  }

  /**
   * The row with the least value among some loaded rows of a group. The least of n/r values out of
   * n has rank r on average, so about as many rows as asked for have no greater value.
   */
  private long least(Draws draws, Keys keys) {
    long chosen = keys.pickLive(draws);
    if (chosen < 0) {
      return chosen;
    }
    int column = entity.table().columns().indexOf(choice.least());
    Entity.Groups groups = entity.groups(choice.within()).orElseThrow();
    long group = entity.row(chosen, documents) % groups.count();
    Object least = value(column, chosen, keys.state(chosen));
    long companions = groups.rows() / choice.rows() - 1;
    // Rows of other generators do not count, but the number of tries is limited anyway.
    for (long tries = 0, found = 0;
        found < companions && tries < MOST_TRIES * companions;
        tries++) {
      long ordinal = entity.ordinal(group + draws.next(groups.rows()) * groups.count(), documents);
      short state = keys.state(ordinal);
      if (State.settledLive(state)) {
        found++;
        Object value = value(column, ordinal, state);
        if (Values.compare(value, least).orElse(0) < 0) {
          least = value;
          chosen = ordinal;
        }
      }
    }
    return chosen;
  }

  private Object value(int column, long ordinal, short state) {
    return entity.value(column, entity.row(ordinal, documents), State.edition(state));
  }

  /** The row that one call works on. Used by one worker. */
  static final class Claim {
    private final EntityCalls of;
    private final Keys keys;
    private final long ordinal;
    private final short before;

    /** Which of the rows of a read is compared whole; -1 for none. */
    private long sampled;

    private long rows;
    private boolean found;
    private boolean behind;

    /**
     * @param before its state before the call
     */
    private Claim(EntityCalls of, Keys keys, long ordinal, short before) {
      this.of = of;
      this.keys = keys;
      this.ordinal = ordinal;
      this.before = before;
    }

    /** Draws whether a row is compared whole, and which; after the arguments of the call. */
    void sample(Draws draws) {
      if (reads()) {
        sampled = draws.next(of.answer.bytes) < BYTES ? draws.next(of.answer.rows) : -1;
      }
    }

    long ordinal() {
      return ordinal;
    }

    Occasion.Row row() {
      int edition = State.edition(before);
      return new Occasion.Row(
          of.entity.row(ordinal, of.documents),
          of.effect == Effect.UPDATE ? edition + 1 : edition,
          edition);
    }

    boolean reads() {
      return of.effect == Effect.READ;
    }

    /** Another attempt begins. */
    void begin() {
      found = false;
      behind = false;
      rows = 0;
    }

    /** Judges a row that a read returned; returns what it violates, or nothing. */
    String violated(List<?> wanted, Equality equality) {
      Answer answer = of.answer;
      long row = of.entity.rowOf(wanted.get(answer.key));
      Object edition = answer.edition < 0 ? (Object) 0L : wanted.get(answer.edition);
      boolean possible =
          edition instanceof Long number && number >= 0 && number <= State.MAX_EDITION;
      if (row < 0 || !possible) {
        return row < 0 ? "answer: no row has this key" : "answer: this is not an edition";
      }
      if (row == of.entity.row(ordinal, of.documents)) {
        found = true;
        behind |= (Long) edition != State.edition(before);
      }
      boolean isSampled = rows++ == sampled;
      for (int i = 0; isSampled && i < wanted.size(); i++) {
        int column = answer.columns[i];
        if (column >= 0
            && !of.holds(equality, i, wanted.get(i), row, ((Long) edition).intValue())) {
          return "answer: " + of.entity.table().columns().get(column);
        }
      }
      return "";
    }

    /**
     * Whether a read returned less than was acknowledged before it began.
     *
     * @param rows that it returned
     * @param most rows that it may return; without such a bound a limit may have left the row out
     */
    boolean isStale(long rows, long most) {
      boolean untouched = State.settledLive(before) && keys.state(ordinal) == before;
      boolean isLeftOut = most == Long.MAX_VALUE ? rows > 0 : rows >= most;
      return untouched && (found ? behind : !isLeftOut);
    }

    boolean repeatable() {
      return of.repeatable;
    }

    /**
     * Whether a failure after an unanswered attempt shows that this one has taken effect.
     *
     * @param changed rows that the last attempt changed
     */
    boolean showsEffect(CallFailure failure, long changed) {
      return of.repeatable
          && (of.effect == Effect.INSERT
              ? failure.kind().equals(CallFailure.DUPLICATE_KEY)
              : failure.kind().equals(Answers.WRONG_ROW) && changed == 0);
    }

    /**
     * @param unknownBefore an attempt without an answer may still be under way
     */
    void end(Outcome outcome, boolean unknownBefore) {
      int edition = State.edition(before);
      if (outcome instanceof Outcome.Done) {
        short after =
            switch (of.effect) {
              case DELETE -> State.of(State.DELETED, edition);
              case UPDATE -> State.live(edition + 1);
              default -> State.live(0);
            };
        if (unknownBefore) {
          keys.withdraw(ordinal, after);
        } else {
          keys.release(ordinal, after);
        }
      } else if (outcome instanceof Outcome.Unknown) {
        leaveUnknown();
      } else {
        keys.unclaim(ordinal);
      }
    }

    void leaveUnknown() {
      int status =
          switch (of.effect) {
            case DELETE -> State.UNKNOWN_DELETE;
            case UPDATE -> State.UNKNOWN_UPDATE;
            default -> State.UNKNOWN_INSERT;
          };
      keys.withdraw(ordinal, State.of(status, State.edition(before)));
    }

    void abandon() {
      keys.unclaim(ordinal);
    }
  }

  private boolean holds(Equality equality, int index, Object read, long row, int edition) {
    return entity.holds(equality, index, read, answer.columns[index], row, edition);
  }
}
