package io.shardload.workload.statements.calls;

import io.shardload.data.Draws;
import io.shardload.keys.Keys;
import io.shardload.workload.Transaction;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import java.util.List;
import java.util.function.LongSupplier;

/** A transaction whose statements come from files. */
public final class StatementTransaction implements Transaction<StatementStore> {
  /** A plan with the generators of its arguments and the record of the rows that it adds. */
  record Variant(
      Plan plan,
      List<Calls.Argument> arguments,
      boolean takesFresh,
      List<Calls.AddedRows> adds,
      List<Expectation> expectations) {}

  private final List<Variant> variants;
  private final long documents;
  private final LongSupplier clockMillis;

  /**
   * @param variants one of which is chosen by a draw
   * @param documents rows that were loaded: new numbers are ordinals above them
   */
  StatementTransaction(List<Variant> variants, long documents, LongSupplier clockMillis) {
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
    return variants.stream().anyMatch(Variant::takesFresh);
  }

  @Override
  public StatementCall prepare(Draws draws, Keys keys) {
    return prepare(variants.size() == 1 ? 0 : (int) draws.next(variants.size()), draws, keys);
  }

  /** Its variants, in their order. */
  public List<Plan> plans() {
    return variants.stream().map(Variant::plan).toList();
  }

  /**
   * A call of one variant.
   *
   * @param index of {@link #plans}
   */
  public StatementCall prepare(int index, Draws draws, Keys keys) {
    Variant variant = variants.get(index);
    long ordinal = variant.takesFresh() ? keys.claimNew() : StatementCall.NO_ORDINAL;
    try {
      return new StatementCall(
          variant,
          arguments(variant, draws, variant.takesFresh() ? ordinal - documents : -1),
          keys,
          ordinal,
          documents);
    } catch (RuntimeException e) {
      if (variant.takesFresh()) {
        keys.unclaim(ordinal);
      }
      throw e;
    }
  }

  private Object[] arguments(Variant variant, Draws draws, long fresh) {
    long now = clockMillis.getAsLong();
    List<Calls.Argument> makers = variant.arguments();
    List<String> names = variant.plan().arguments();
    Object[] values = new Object[makers.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = makers.get(i).draw(draws, fresh, now, name -> values[names.indexOf(name)]);
    }
    return values;
  }
}
