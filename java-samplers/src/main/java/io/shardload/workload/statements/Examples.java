package io.shardload.workload.statements;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.keys.Journal;
import io.shardload.keys.Keys;
import io.shardload.keys.LocalRanges;
import io.shardload.keys.Ownership;
import io.shardload.keys.States;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Ports;
import io.shardload.workload.statements.calls.StatementCall;
import io.shardload.workload.statements.calls.StatementTransaction;
import io.shardload.workload.statements.parameters.Entity;
import io.shardload.workload.statements.parameters.Table;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.Values;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Calls and rows like those of a run, to display them and to have the server plan them. */
final class Examples {
  private static final int RANGE = 16;

  /** Rows of the entity that calls choose from. */
  private static final long MOST_ORDINALS = 1 << 16;

  private static final String TEXT = "text";

  private Examples() {}

  /**
   * The plan of the first call of each transaction; a run continues without it. Further variants
   * have the name with their number, from 1.
   */
  static Map<String, Map<String, Object>> plans(
      StatementsModel model, Ports ports, List<String> names) {
    Map<String, Map<String, Object>> plans = new LinkedHashMap<>();
    for (String name : names) {
      try {
        StatementsModel ready = model.ready(ports);
        int variants = transaction(ready, name).plans().size();
        for (int variant = 0; variant < variants; variant++) {
          Map<String, Object> plan = plan(ready, ports, name, variant);
          if (!plan.isEmpty()) {
            plans.put(label(name, variant), plan);
          }
        }
      } catch (CallFailure | RuntimeException e) {
        plans.put(name, unknown(e));
      }
    }
    return plans;
  }

  private static String label(String name, int variant) {
    return variant == 0 ? name : "%s (variant %d)".formatted(name, variant + 1);
  }

  private static Map<String, Object> plan(
      StatementsModel model, Ports ports, String name, int variant) {
    try {
      Draws draws = new Draws().at(name.hashCode(), variant);
      StatementCall call = transaction(model, name).prepare(variant, draws, keys(model));
      if (call == null) {
        return unknown(new IllegalStateException("the entity has no rows"));
      }
      Optional<Entity> entity = model.entity();
      Map<String, Object> explained =
          new LinkedHashMap<>(
              ports
                  .port(StatementAdmin.class)
                  .explain(call.plan(), call.arguments(), entity.flatMap(Entity::grouping)));
      if ("tenant-scan".equals(explained.get("access"))) {
        explained.put("documents_per_tenant", entity.orElseThrow().groupRows());
      }
      return explained;
    } catch (CallFailure | RuntimeException e) {
      return unknown(e);
    }
  }

  private static Map<String, Object> unknown(Exception e) {
    return Map.of(
        "access",
        "unknown",
        "indexes",
        List.of(),
        "shards",
        "unknown",
        TEXT,
        String.valueOf(e.getMessage()));
  }

  private static StatementTransaction transaction(StatementsModel model, String name) {
    return (StatementTransaction) model.transaction(name);
  }

  private static Keys keys(StatementsModel model) {
    long followed = model.followsDocuments() ? Math.min(model.followed(), MOST_ORDINALS) : 0;
    return new Keys(
        new Ownership(0, 1, followed),
        States.loaded(followed),
        KeyDistribution.uniform(),
        new LocalRanges(model.documents(), RANGE),
        Journal.NONE);
  }

  /** The first rows of each table and some calls of each transaction, by name. */
  static JsonObject preview(StatementsModel model, List<Table> tables, int most) {
    JsonObject rows = new JsonObject();
    for (Table table : tables) {
      rows.add(table.table(), rows(table, most));
    }
    JsonObject calls = new JsonObject();
    // The same for all: in a run, no two calls share a new number.
    Keys keys = keys(model);
    for (String name : model.used()) {
      calls.add(name, calls(model, keys, name, most));
    }
    JsonObject preview = new JsonObject();
    preview.add("rows", rows);
    preview.add("calls", calls);
    return preview;
  }

  private static JsonArray rows(Table table, int most) {
    JsonArray all = new JsonArray();
    for (long number = 0; number < Math.min(most, table.rows()); number++) {
      all.add(named(table.columns(), table.row(number)));
    }
    return all;
  }

  private static JsonArray calls(StatementsModel model, Keys keys, String name, int most) {
    JsonArray all = new JsonArray();
    for (int index = 0; index < most; index++) {
      JsonObject json = new JsonObject();
      try {
        Draws draws = new Draws().at(name.hashCode(), index);
        if (transaction(model, name).prepare(draws, keys) instanceof StatementCall call) {
          json.addProperty("variant", call.plan().variant());
          json.add("arguments", named(call.plan().arguments(), call.arguments()));
        } else {
          json.addProperty("not_prepared", "the entity has no rows");
        }
      } catch (ConfigException | IllegalStateException e) {
        json.addProperty("not_prepared", e.getMessage());
      }
      all.add(json);
    }
    return all;
  }

  private static JsonElement json(Object value) {
    if (!(value instanceof Object[] each)) {
      return Values.json(value);
    }
    JsonArray all = new JsonArray();
    for (Object one : each) {
      all.add(Values.json(one));
    }
    return all;
  }

  private static JsonObject named(List<String> names, Object[] values) {
    JsonObject json = new JsonObject();
    for (int i = 0; i < values.length; i++) {
      json.add(names.get(i), json(values[i]));
    }
    return json;
  }
}
