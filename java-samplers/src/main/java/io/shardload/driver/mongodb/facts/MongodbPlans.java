package io.shardload.driver.mongodb.facts;

import io.shardload.driver.mongodb.client.Bson;
import io.shardload.workload.statements.port.QueryPlan;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNumber;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * Reads what {@code explain} answers: MongoDB's stages, classic or under {@code queryPlan} where
 * the slot-based engine runs them, alone or per shard; and FerretDB 1's plan of PostgreSQL.
 */
public final class MongodbPlans {
  public static final String NOT_SHARDED = "not sharded";

  /** Where stages have their inputs, and shards their plans. */
  private static final List<String> INPUTS =
      List.of(
          "queryPlan",
          "winningPlan",
          "inputStage",
          "inputStages",
          "outerStage",
          "innerStage",
          "thenStage",
          "elseStage",
          "shards",
          "Plans");

  private static final Set<String> INDEX_STAGES =
      Set.of(
          "IXSCAN",
          "IDHACK",
          "COUNT_SCAN",
          "DISTINCT_SCAN",
          "EXPRESS_IXSCAN",
          "EXPRESS_UPDATE",
          "EXPRESS_DELETE",
          "Index Scan",
          "Index Only Scan",
          "Bitmap Index Scan");
  private static final Set<String> SCAN_STAGES = Set.of("COLLSCAN", "Seq Scan");

  /** Indexes that are read together, so that only what all of them know is fetched. */
  private static final Set<String> INTERSECTIONS = Set.of("AND_HASH", "AND_SORTED");

  /** As the bounds of a field that nothing is asked of are written. */
  private static final BsonArray UNBOUNDED =
      new BsonArray(List.of(new BsonString("[MinKey, MaxKey]")));

  /** Stages that hand on each row as it comes, so that a limit above them ends the scan. */
  private static final Set<String> STREAMING =
      Set.of("", "LIMIT", "Limit", "FETCH", "PROJECTION_SIMPLE", "PROJECTION_DEFAULT");

  private final Set<String> indexes = new LinkedHashSet<>();
  private final List<QueryPlan.Scan> scans = new ArrayList<>();
  private final String collection;
  private final int shards;
  private final String tenant;

  private boolean nothing;
  private boolean wholeTenant;

  private MongodbPlans(String collection, int shards, String tenant) {
    this.tenant = tenant;
    this.collection = collection;
    this.shards = shards;
  }

  /**
   * The plan in an answer to explain.
   *
   * @param shards of the cluster, or 0 if it is not sharded
   * @param tenant the field whose values group the documents; empty if there is none
   */
  public static QueryPlan read(
      BsonDocument explained, String collection, int shards, String tenant) {
    BsonDocument plan = plan(explained);
    MongodbPlans stages = new MongodbPlans(collection, shards, tenant);
    stages.walk(plan, Long.MAX_VALUE);
    String text = plan.isEmpty() ? "the server returned no plan" : plan.toJson();
    if (explained.containsKey("filterPushdown")) {
      // FerretDB 1 applies the filters that it does not push down to PostgreSQL.
      text += ", filterPushdown: " + Bson.isTrue(explained, "filterPushdown");
    }
    return new QueryPlan(
        stages.access(),
        new ArrayList<>(stages.indexes),
        spread(plan, shards),
        QueryPlan.Kind.UNKNOWN,
        OptionalLong.empty(),
        stages.scans,
        text);
  }

  /** An aggregate has it in its first stage, and through a router once for each shard. */
  private static BsonDocument plan(BsonDocument explained) {
    if (explained.get("shards") instanceof BsonDocument asked) {
      List<BsonDocument> plans =
          asked.values().stream().map(shard -> plan(shard.asDocument())).toList();
      return new BsonDocument("shards", new BsonArray(plans));
    }
    if (explained.get("stages") instanceof BsonArray stages && !stages.isEmpty()) {
      return plan(Bson.child(stages.get(0).asDocument(), "$cursor"));
    }
    BsonDocument planner = Bson.child(explained, "queryPlanner");
    return Bson.child(planner, planner.containsKey("winningPlan") ? "winningPlan" : "Plan");
  }

  /** How many of the cluster's shards are asked, in words. */
  public static String spread(int asked, int shards) {
    return (asked == 1 ? "one" : Integer.toString(asked)) + " of " + shards;
  }

  private static String spread(BsonDocument plan, int shards) {
    if (shards == 0) {
      return NOT_SHARDED;
    }
    return plan.get("shards") instanceof BsonArray asked ? spread(asked.size(), shards) : "unknown";
  }

  private QueryPlan.Access access() {
    if (!scans.isEmpty()) {
      return QueryPlan.Access.FULL_SCAN;
    }
    if (wholeTenant) {
      return QueryPlan.Access.TENANT_SCAN;
    }
    if (!indexes.isEmpty()) {
      return QueryPlan.Access.INDEX;
    }
    return nothing ? QueryPlan.Access.NONE : QueryPlan.Access.UNKNOWN;
  }

  /**
   * Walks the stages.
   *
   * @param most rows that the stages above take
   */
  private void walk(BsonValue value, long most) {
    if (value instanceof BsonArray several) {
      several.forEach(each -> walk(each, most));
    } else if (value instanceof BsonDocument stage) {
      stage(stage, most);
    }
  }

  private void stage(BsonDocument stage, long most) {
    String name = Bson.text(stage, stage.containsKey("stage") ? "stage" : "Node Type");
    if (SCAN_STAGES.contains(name)) {
      boolean all = Bson.child(stage, "filter").isEmpty() && !stage.containsKey("Filter");
      scans.add(
          new QueryPlan.Scan(collection, 1.0 / Math.max(1, shards), all ? most : Long.MAX_VALUE));
    }
    nothing |= name.equals("EOF");
    if (INDEX_STAGES.contains(name)) {
      String used = Bson.text(stage, stage.containsKey("indexName") ? "indexName" : "Index Name");
      // A search by only _id does not name its index.
      indexes.add(used.isEmpty() ? "_id_" : used);
      wholeTenant |= byTenantAlone(stage);
    }
    boolean before = wholeTenant;
    for (String input : INPUTS) {
      if (stage.containsKey(input)) {
        walk(stage.get(input), STREAMING.contains(name) ? limited(stage, most) : Long.MAX_VALUE);
      }
    }
    if (INTERSECTIONS.contains(name)) {
      wholeTenant =
          before
              || stage.getArray("inputStages", new BsonArray()).stream()
                  .allMatch(input -> byTenantAlone(input.asDocument()));
    }
  }

  private static long limited(BsonDocument stage, long most) {
    boolean ferretdb = Bson.text(stage, "Node Type").equals("Limit");
    BsonValue limit = stage.get(ferretdb ? "Plan Rows" : "limitAmount");
    return limit instanceof BsonNumber rows ? Math.min(most, rows.longValue()) : most;
  }

  /** Whether an index is read for one tenant, whatever its other fields are. */
  private boolean byTenantAlone(BsonDocument stage) {
    BsonDocument bounds = Bson.child(stage, "indexBounds");
    return bounds.containsKey(tenant)
        && bounds.entrySet().stream()
            .filter(field -> !field.getKey().equals(tenant))
            .allMatch(field -> field.getValue().equals(UNBOUNDED));
  }
}
