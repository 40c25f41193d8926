package io.shardload.workload.documentstore;

import io.shardload.config.ConfigException;
import io.shardload.data.Draws;
import io.shardload.keys.Keys;
import io.shardload.keys.States;
import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.Ports;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreEvidence;
import io.shardload.workload.documentstore.port.QueryPlan;
import io.shardload.workload.documentstore.port.Storage;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;

/** Queries {@link DocumentStoreEvidence} with the calls of a run, for the run bundle. */
final class Evidence {
  /** Ordinals for the calls: enough to choose from, independent of the size of the data. */
  private static final long MOST_ORDINALS = 1 << 16;

  private static final int RANGE = 16;

  private Evidence() {}

  static Map<String, Map<String, Object>> plans(
      DocumentStoreModel model, Ports ports, List<String> transactions) {
    Optional<DocumentStoreEvidence> evidence = port(ports);
    Map<String, Map<String, Object>> plans = new LinkedHashMap<>();
    if (evidence.isPresent()) {
      Keys keys = keys(model);
      for (String name : transactions) {
        plans.put(name, json(plan(model, evidence.get(), name, keys), model));
      }
    }
    return plans;
  }

  static Map<String, Object> storage(Ports ports) throws CallFailure {
    Optional<DocumentStoreEvidence> evidence = port(ports);
    if (evidence.isEmpty()) {
      return Map.of();
    }
    Storage storage = evidence.get().storage();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("table_bytes", storage.tableBytes());
    json.put("index_bytes", storage.indexBytes());
    json.put(
        "placements",
        storage.placements().stream()
            .map(
                at ->
                    Map.of(
                        "shard", at.shard(),
                        "node", at.node(),
                        "documents", at.documents(),
                        "bytes", at.bytes()))
            .toList());
    json.put("facts", storage.facts());
    return json;
  }

  /** The server's own count over all shards; copies of the same shard count once. */
  static OptionalLong documents(Ports ports) throws CallFailure {
    Optional<DocumentStoreEvidence> evidence = port(ports);
    if (evidence.isEmpty()) {
      return OptionalLong.empty();
    }
    Map<String, Long> byShard = new HashMap<>();
    for (Storage.Placement placement : evidence.get().storage().placements()) {
      byShard.merge(placement.shard(), placement.documents(), Math::max);
    }
    return byShard.isEmpty() || byShard.containsValue(-1L)
        ? OptionalLong.empty()
        : OptionalLong.of(byShard.values().stream().mapToLong(Long::longValue).sum());
  }

  static Optional<DocumentStoreEvidence> port(Ports ports) {
    try {
      return Optional.of(ports.port(DocumentStoreEvidence.class));
    } catch (ConfigException e) {
      return Optional.empty();
    }
  }

  /** A run continues without a plan, for any reason. */
  private static QueryPlan plan(
      DocumentStoreModel model, DocumentStoreEvidence evidence, String name, Keys keys) {
    AtomicReference<QueryPlan> explained = new AtomicReference<>();
    String reason = "the plan was not requested from the server";
    try {
      Call<DocumentStore> call =
          model.transaction(name).prepare(new Draws().at(0, name.hashCode()), keys);
      try {
        call.run(evidence.explainer(explained::set), Phases.NONE);
      } finally {
        call.abandon();
      }
    } catch (CallFailure | RuntimeException e) {
      reason = String.valueOf(e.getMessage());
    }
    return explained.get() != null
        ? explained.get()
        : new QueryPlan(QueryPlan.Access.UNKNOWN, List.of(), "unknown", reason);
  }

  private static Map<String, Object> json(QueryPlan plan, DocumentStoreModel model) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("access", name(plan.access()));
    json.put("indexes", plan.indexes());
    json.put("shards", plan.shards());
    if (plan.access() == QueryPlan.Access.TENANT_SCAN) {
      json.put("documents_per_tenant", model.perTenant());
    }
    if (plan.kind() != QueryPlan.Kind.UNKNOWN) {
      json.put("kind", name(plan.kind()));
    }
    plan.rows().ifPresent(rows -> json.put("estimated_rows", rows));
    json.put("scans", QueryPlan.scans(List.of(plan), table -> model.documents()));
    json.put("text", plan.text());
    return json;
  }

  private static String name(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static Keys keys(DocumentStoreModel model) {
    long ordinals = Math.min(model.documents(), MOST_ORDINALS);
    return Keys.alone(States.loaded(ordinals), model.ranks(), ordinals, RANGE);
  }
}
