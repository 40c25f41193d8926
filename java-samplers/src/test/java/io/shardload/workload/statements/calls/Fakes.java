package io.shardload.workload.statements.calls;

import com.google.gson.JsonObject;
import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.keys.Journal;
import io.shardload.keys.Keys;
import io.shardload.keys.LocalRanges;
import io.shardload.keys.Ownership;
import io.shardload.keys.States;
import io.shardload.workload.Transaction;
import io.shardload.workload.statements.parameters.Occasion;
import io.shardload.workload.statements.parameters.Parameter;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.Step;
import io.shardload.workload.statements.port.ValueType;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Plans, parameters and keys for tests of calls. */
final class Fakes {
  static final long DOCUMENTS = 100;

  private Fakes() {}

  /** A statement with these parameters. */
  static SqlStatement statement(boolean writes, String... names) {
    return new SqlStatement(
        new Place("transactions/t/postgresql.sql", 1),
        Collections.nCopies(names.length + 1, "?"),
        List.of(names),
        writes ? "insert" : "select",
        writes);
  }

  static Plan plan(int variant, boolean writes, Step step, String... arguments) {
    return new Plan(
        "t",
        variant,
        Isolation.NONE,
        List.of(arguments),
        List.of(statement(writes, arguments)),
        List.of(step));
  }

  static Step one(Map<String, String> equal) {
    return new Step(1, 1, equal, Map.of());
  }

  /**
   * A transaction of a folder without an entity.
   *
   * @param variants plans of one transaction
   */
  static Transaction<StatementStore> transaction(
      Map<String, Parameter> parameters, boolean isCompared, Plan... variants) {
    return new Calls(
            parameters,
            new JsonObject(),
            DOCUMENTS,
            () -> 0,
            isCompared,
            null,
            Map.of(),
            Map.of(),
            false)
        .transactions(Map.of(variants[0].transaction(), List.of(variants)))
        .get(variants[0].transaction());
  }

  /** New numbers begin above the loaded rows, as those of one generator. */
  static Keys keys() {
    return new Keys(
        new Ownership(0, 1, 0),
        new States(),
        KeyDistribution.uniform(),
        new LocalRanges(DOCUMENTS, 16),
        Journal.NONE);
  }

  /** Always this number. */
  static Parameter constant(long value) {
    return parameter(false, (draws, occasion) -> value);
  }

  /** The fresh number. */
  static Parameter fresh() {
    return parameter(true, (draws, occasion) -> occasion.fresh());
  }

  /** The newest row that was added; -1 if there is none. */
  static Parameter newest() {
    return parameter(
        false, (draws, occasion) -> occasion.recent().count() == 0 ? -1L : occasion.recent().at(0));
  }

  interface Maker {
    Object make(Draws draws, Occasion occasion);
  }

  /** The fresh number, which only a call that writes claims; -1 without. */
  static Parameter distinct() {
    return parameter(false, true, (draws, occasion) -> occasion.fresh());
  }

  static Parameter parameter(boolean fresh, Maker maker) {
    return parameter(fresh, fresh, maker);
  }

  private static Parameter parameter(boolean fresh, boolean distinct, Maker maker) {
    return new Parameter() {
      @Override
      public ValueType type() {
        return ValueType.INTEGER;
      }

      @Override
      public Object draw(Draws draws, Occasion occasion) {
        return maker.make(draws, occasion);
      }

      @Override
      public boolean takesFresh() {
        return fresh;
      }

      @Override
      public boolean distinctWhereWritten() {
        return distinct;
      }
    };
  }
}
