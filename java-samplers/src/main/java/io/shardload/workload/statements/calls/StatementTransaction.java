package io.shardload.workload.statements.calls;

import io.shardload.data.Draws;
import io.shardload.keys.Keys;
import io.shardload.keys.State;
import io.shardload.workload.Call;
import io.shardload.workload.NoKey;
import io.shardload.workload.Transaction;
import io.shardload.workload.statements.parameters.Occasion;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import java.util.List;
import java.util.function.LongSupplier;

/** A transaction whose statements come from files. */
public final class StatementTransaction implements Transaction<StatementStore> {
  /**
   * A plan with the generators of its arguments and the record of the rows that it adds.
   *
   * @param entity null if its calls work on no row of an entity
   * @param isFollowed whether a new number belongs to a row that is followed. In a folder with an
   *     entity, the numbers of other calls are used up, and no row has them
   */
  record Variant(
      Plan plan,
      List<Calls.Argument> arguments,
      boolean takesFresh,
      List<Calls.AddedRows> adds,
      List<Expectation> expectations,
      EntityCalls entity,
      boolean isFollowed) {
    /** The state of a new number after a call that wrote. */
    short numberTaken() {
      return isFollowed ? State.live(0) : State.of(State.DELETED, 0);
    }

    short numberUnknown() {
      return State.of(isFollowed ? State.UNKNOWN_INSERT : State.DELETED, 0);
    }
  }

  private final List<Variant> variants;
  private final long documents;
  private final LongSupplier clockMillis;
  private final boolean isCompared;

  /**
   * @param variants one of which is chosen by a draw
   * @param documents rows that were loaded: new numbers are ordinals above them
   * @param isCompared whether each parameter has a stream of draws of its own: then its value is
   *     the same on every system, whatever the statements, their order and their number are
   */
  StatementTransaction(
      List<Variant> variants, long documents, LongSupplier clockMillis, boolean isCompared) {
    this.isCompared = isCompared;
    this.variants = List.copyOf(variants);
    this.documents = documents;
    this.clockMillis = clockMillis;
  }

  @Override
  public String name() {
    return variants.get(0).plan().transaction();
  }

  @Override
  public boolean writes() {
    return variants.stream().anyMatch(variant -> variant.plan().writes());
  }

  @Override
  public boolean takesNewKeys() {
    return variants.stream()
        .anyMatch(
            variant ->
                variant.takesFresh()
                    || (variant.entity() != null && variant.entity().effect() == Effect.INSERT));
  }

  @Override
  public Call<StatementStore> prepare(Draws draws, Keys keys) {
    int index = variants.size() == 1 && !isCompared ? 0 : (int) draws.next(variants.size());
    StatementCall call = prepare(index, draws, keys);
    if (call == null) {
      return new NoKey<>();
    }
    call.sample(draws);
    return call;
  }

  /** Whether a call claims a row of the entity. */
  public boolean claimsRows() {
    return variants.stream()
        .anyMatch(variant -> variant.entity() != null && variant.entity().effect() != Effect.READ);
  }

  /** Its variants, in their order. */
  public List<Plan> plans() {
    return variants.stream().map(Variant::plan).toList();
  }

  /**
   * A call of one variant, which compares the first row that it reads whole.
   *
   * @param index of {@link #plans}
   * @return null if the entity has no row to work on
   */
  public StatementCall prepare(int index, Draws draws, Keys keys) {
    Variant variant = variants.get(index);
    EntityCalls.Claim claim = variant.entity() == null ? null : variant.entity().claim(draws, keys);
    if (claim == null && variant.entity() != null) {
      return null;
    }
    boolean isNew = variant.entity() != null && variant.entity().effect() == Effect.INSERT;
    long ordinal =
        isNew ? claim.ordinal() : variant.takesFresh() ? keys.claimNew() : StatementCall.NO_ORDINAL;
    boolean hasNumber = ordinal != StatementCall.NO_ORDINAL;
    try {
      Occasion.Row row = claim == null ? Occasion.Row.NONE : claim.row();
      Object[] values = arguments(variant, draws, hasNumber ? ordinal - documents : -1, row);
      return new StatementCall(variant, values, keys, ordinal, documents, claim);
    } catch (RuntimeException e) {
      if (hasNumber && !isNew) {
        keys.unclaim(ordinal);
      }
      if (claim != null && !claim.reads()) {
        claim.abandon();
      }
      throw e;
    }
  }

  private Object[] arguments(Variant variant, Draws draws, long fresh, Occasion.Row row) {
    long now = clockMillis.getAsLong();
    List<Calls.Argument> makers = variant.arguments();
    List<String> names = variant.plan().arguments();
    Object[] values = new Object[makers.size()];
    long call = isCompared ? draws.nextLong() : 0;
    for (int i = 0; i < values.length; i++) {
      if (isCompared) {
        draws.at(call, names.get(i).hashCode());
      }
      values[i] = makers.get(i).draw(draws, fresh, now, name -> values[names.indexOf(name)], row);
    }
    return values;
  }
}
