package io.shardload.workload.statements.calls;

import io.shardload.data.Bits;
import io.shardload.data.Draws;
import io.shardload.keys.Keys;
import io.shardload.keys.State;
import io.shardload.workload.Outcome;
import io.shardload.workload.statements.parameters.Entity;
import io.shardload.workload.statements.parameters.Occasion;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Step;
import java.util.List;

/**
 * The calls of a transaction that works on a row of the entity. Immutable and thread-safe.
 *
 * @param documents rows that were loaded into all tables: ordinals from there on are new rows
 * @param answer the columns that a read returns; null for a write
 */
record EntityCalls(Entity entity, Effect effect, long documents, Answer answer) {
  /** A read compares so many bytes with the right ones in the mean, as it must make them again. */
  private static final long BYTES = 512;

  /**
   * Where the columns of the entity are among those that the driver hands over.
   *
   * @param edition -1 if the entity has no edition
   * @param columns of the entity, by the index of what is handed over; -1 for others
   */
  @SuppressWarnings("ArrayRecordComponent") // Read on the timed path, never compared or changed.
  record Answer(int key, int edition, int[] columns, long bytes) {
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
          Math.max(1, Math.round(entity.table().meanBytes())));
    }
  }

  static EntityCalls of(Entity entity, Effect effect, Plan plan, long documents) {
    Answer answer = effect == Effect.READ ? Answer.of(entity, plan.steps().get(0)) : null;
    return new EntityCalls(entity, effect, documents, answer);
  }

  /** Claims a row for a call; null if there is none to work on. */
  Claim claim(Draws draws, Keys keys) {
    long ordinal =
        switch (effect) {
          case INSERT -> keys.claimNew();
          case UPDATE -> keys.claimLive(draws);
          case DELETE -> keys.claimToDelete(draws);
          case READ -> keys.pickLive(draws);
        };
    if (ordinal < 0) {
      return null;
    }
    short before = keys.state(ordinal);
    if (effect != Effect.READ) {
      return new Claim(this, keys, ordinal, before, false);
    }
    boolean sampled = Bits.bounded(draws.nextLong(), answer.bytes) < BYTES;
    return State.live(before) ? new Claim(this, keys, ordinal, before, sampled) : null;
  }

  /** The row that one call works on. Used by one worker. */
  static final class Claim {
    private final EntityCalls of;
    private final Keys keys;
    private final long ordinal;
    private final short before;
    private final boolean sampled;
    private boolean found;
    private boolean behind;

    /**
     * @param before its state before the call
     * @param sampled whether all that a read returns is compared
     */
    private Claim(EntityCalls of, Keys keys, long ordinal, short before, boolean sampled) {
      this.of = of;
      this.keys = keys;
      this.ordinal = ordinal;
      this.before = before;
      this.sampled = sampled;
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
    }

    /** Judges a row that a read returned; returns what it violates, or nothing. */
    String violated(Object[] wanted, Equality equality) {
      Answer answer = of.answer;
      long row = of.entity.rowOf(wanted[answer.key]);
      Object edition = answer.edition < 0 ? (Object) 0L : wanted[answer.edition];
      boolean possible =
          edition instanceof Long number && number >= 0 && number <= State.MAX_EDITION;
      if (row < 0 || !possible) {
        return row < 0 ? "answer: no row has this key" : "answer: this is not an edition";
      }
      if (row == of.entity.row(ordinal, of.documents)) {
        found = true;
        behind |= (Long) edition != State.edition(before);
      }
      for (int i = 0; sampled && i < wanted.length; i++) {
        int column = answer.columns[i];
        if (column >= 0 && !of.holds(equality, i, wanted[i], row, ((Long) edition).intValue())) {
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

    void end(Outcome outcome) {
      int edition = State.edition(before);
      if (outcome instanceof Outcome.Done) {
        keys.release(
            ordinal,
            switch (of.effect) {
              case DELETE -> State.of(State.DELETED, edition);
              case UPDATE -> State.live(edition + 1);
              default -> State.live(0);
            });
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
