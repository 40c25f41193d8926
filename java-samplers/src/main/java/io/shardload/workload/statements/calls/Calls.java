package io.shardload.workload.statements.calls;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.data.Draws;
import io.shardload.workload.Transaction;
import io.shardload.workload.statements.parameters.Entity;
import io.shardload.workload.statements.parameters.Occasion;
import io.shardload.workload.statements.parameters.Parameter;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The transactions of one generator. They share the record of the rows that the generator added, by
 * table: a write adds a row to a table if it takes a new number for a parameter that continues this
 * table.
 */
public final class Calls {
  private final Map<String, Parameter> parameters;
  private final JsonObject section;
  private final long documents;
  private final LongSupplier clockMillis;
  private final boolean isCompared;
  private final Entity entity;
  private final Map<String, Effect> effects;
  private final Map<String, Choice> choices;
  private final boolean isUnique;
  private final Map<String, AddedRows> added = new HashMap<>();

  /**
   * @param section {@code workload.parameters}, which assigns parameters to tables
   * @param documents rows that were loaded
   * @param clockMillis the time of day
   * @param isCompared whether other systems make the same calls
   * @param entity null if there is none
   * @param effects on the entity, by transaction; none for the others
   * @param choices of reads among its rows, by transaction; none where any row will do
   * @param isUnique whether the server refuses a second copy of one of its rows
   */
  public Calls(
      Map<String, Parameter> parameters,
      JsonObject section,
      long documents,
      LongSupplier clockMillis,
      boolean isCompared,
      Entity entity,
      Map<String, Effect> effects,
      Map<String, Choice> choices,
      boolean isUnique) {
    this.parameters = parameters;
    this.entity = entity;
    this.effects = effects;
    this.choices = choices;
    this.isUnique = isUnique;
    this.section = section;
    this.documents = documents;
    this.clockMillis = clockMillis;
    this.isCompared = isCompared;
  }

  /** All transactions by name. */
  public Map<String, Transaction<StatementStore>> transactions(Map<String, List<Plan>> plans) {
    Map<String, Transaction<StatementStore>> all = new LinkedHashMap<>();
    plans.forEach(
        (name, variants) ->
            all.put(
                name,
                new StatementTransaction(
                    variants.stream().map(this::variant).toList(),
                    documents,
                    clockMillis,
                    isCompared)));
    return all;
  }

  private StatementTransaction.Variant variant(Plan plan) {
    List<Argument> arguments = plan.arguments().stream().map(this::argument).toList();
    boolean takesFresh =
        arguments.stream()
            .map(Argument::parameter)
            .anyMatch(one -> plan.writes() ? one.distinctWhereWritten() : one.takesFresh());
    List<AddedRows> adds =
        plan.arguments().stream()
            .filter(name -> parameters.get(name).takesFresh())
            .flatMap(name -> table(name).stream())
            .distinct()
            .map(this::added)
            .toList();
    Effect effect = effects.get(plan.transaction());
    if (effect == Effect.INSERT) {
      adds = Stream.concat(adds.stream(), Stream.of(added(entity.table().table()))).toList();
    }
    return new StatementTransaction.Variant(
        plan,
        arguments,
        takesFresh,
        adds.stream().distinct().toList(),
        Expectation.of(plan),
        effect == null ? null : entityCalls(effect, plan),
        entity == null || effect == Effect.INSERT);
  }

  private EntityCalls entityCalls(Effect effect, Plan plan) {
    Choice choice = choices.get(plan.transaction());
    return EntityCalls.of(entity, effect, choice, plan, documents, isUnique);
  }

  private Argument argument(String name) {
    Parameter parameter = parameters.get(name);
    Occasion.Recent recent =
        parameter.takesFresh()
            ? Occasion.Recent.NONE
            : table(name).<Occasion.Recent>map(this::added).orElse(Occasion.Recent.NONE);
    return new Argument(parameter, recent);
  }

  private AddedRows added(String table) {
    return added.computeIfAbsent(table, unused -> new AddedRows());
  }

  private Optional<String> table(String parameter) {
    JsonElement definition = section.get(parameter);
    JsonElement table =
        definition != null && definition.isJsonObject()
            ? definition.getAsJsonObject().get("table")
            : null;
    return table == null || !table.isJsonPrimitive()
        ? Optional.empty()
        : Optional.of(table.getAsString());
  }

  /**
   * Generates the values of one parameter.
   *
   * @param added the rows that this generator added to the table that the parameter refers to
   */
  record Argument(Parameter parameter, Occasion.Recent added) {
    Object draw(
        Draws draws, long fresh, long nowMillis, Function<String, Object> call, Occasion.Row row) {
      return parameter.draw(draws, new Occasion(fresh, added, nowMillis, call, row));
    }
  }

  /**
   * The newest rows that a generator has added to one table, by their new numbers. Thread-safe;
   * readers do not wait.
   */
  static final class AddedRows implements Occasion.Recent {
    /** A power of two; older rows are forgotten. */
    static final int MOST = 1 << 14;

    private final AtomicLongArray ring = new AtomicLongArray(MOST);
    private volatile long added;

    synchronized void add(long fresh) {
      ring.set((int) (added & (MOST - 1)), fresh);
      added++;
    }

    /** Slightly less than {@link #MOST}, so that rows are not overwritten while they are read. */
    @Override
    public long count() {
      return Math.min(added, MOST - MOST / 8);
    }

    @Override
    public long at(long age) {
      long now = added;
      if (age < 0 || age >= Math.min(now, MOST)) {
        throw new IndexOutOfBoundsException("age " + age + " of " + now);
      }
      return ring.get((int) ((now - 1 - age) & (MOST - 1)));
    }
  }
}
