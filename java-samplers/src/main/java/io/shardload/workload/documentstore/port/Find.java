package io.shardload.workload.documentstore.port;

import java.util.List;
import java.util.Locale;
import java.util.UUID;

/**
 * The finds of the workload, in the order in which people list them. Drivers make their statements
 * from the conditions. Every find has a condition on id, so with id as shard key each find goes to
 * one shard.
 */
public enum Find {
  BY_ID_AND_FILTER4_AND_FILTER5_LIST(
      DocumentStore.LIMIT,
      new Condition(Column.FILTER4, Relation.EQUAL),
      new Condition(Column.FILTER5, Relation.AMONG)),
  BY_ID_AND_FILTER4_LIST(DocumentStore.LIMIT, new Condition(Column.FILTER4, Relation.AMONG)),
  BY_ID_AND_FILTER5(DocumentStore.LIMIT, new Condition(Column.FILTER5, Relation.EQUAL)),
  BY_ID_AND_FILTER2(1, new Condition(Column.FILTER2, Relation.EQUAL)),
  BY_ID_AND_FILTER2_LIST(DocumentStore.LIMIT, new Condition(Column.FILTER2, Relation.AMONG)),
  BY_ID_AND_FILTER3_LTE(DocumentStore.LIMIT, new Condition(Column.FILTER3, Relation.AT_MOST)),
  BY_ID_AND_FILTER1(1, new Condition(Column.FILTER1, Relation.EQUAL));

  /** How a condition compares its column. */
  public enum Relation {
    /** With one value. */
    EQUAL,
    /** With two values, one of which is equal. Of filter2, 4 or 5, and as last condition. */
    AMONG,
    /** With the largest filter3. */
    AT_MOST
  }

  /** A condition on one column. */
  public record Condition(Column column, Relation relation) {}

  private final String transaction = "find-" + name().toLowerCase(Locale.ROOT).replace('_', '-');
  private final int limit;

  @SuppressWarnings("ImmutableEnumChecker") // List.of
  private final List<Condition> conditions;

  Find(int limit, Condition... conditions) {
    this.limit = limit;
    this.conditions = List.of(conditions);
  }

  /** The find with its values, as in {@link Query}. */
  public Query of(UUID id, Object... values) {
    return new Query(this, id, List.of(values));
  }

  /** The name of its transaction. */
  public String transaction() {
    return transaction;
  }

  /** How many rows it returns at most. */
  public int limit() {
    return limit;
  }

  /** The conditions in addition to the one on id; all must hold. */
  public List<Condition> conditions() {
    return conditions;
  }
}
