package io.shardload.driver.mongodb.facts;

import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.workload.documentstore.port.QueryPlan;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
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

  private static final String TENANT = "id";

  /** As the bounds of a field that nothing is asked of are written. */
  private static final String UNBOUNDED = "[MinKey, MaxKey]";

  private final Set<String> indexes = new LinkedHashSet<>();
  private boolean scan;
  private boolean index;
  private boolean nothing;
  private boolean wholeTenant;

  private MongodbPlans() {}

  /**
   * The plan in an answer to explain.
   *
   * @param shards of the cluster, or 0 if it is not sharded
   */
  public static QueryPlan read(BsonDocument explained, int shards) {
    BsonDocument planner = Bson.child(explained, "queryPlanner");
    BsonDocument plan =
        planner.containsKey("winningPlan")
            ? Bson.child(planner, "winningPlan")
            : Bson.child(planner, "Plan");
    MongodbPlans stages = new MongodbPlans();
    stages.walk(plan);
    String text = plan.isEmpty() ? "the server returned no plan" : plan.toJson();
    if (explained.containsKey("filterPushdown")) {
      // FerretDB 1 applies the filters that it does not push down to PostgreSQL.
      text += ", filterPushdown: " + ClusterCatalog.isTrue(explained, "filterPushdown");
    }
    return new QueryPlan(
        stages.access(), new ArrayList<>(stages.indexes), spread(plan, shards), text);
  }

  /** How many of the cluster's shards are asked, in words. */
  static String spread(int asked, int shards) {
    return (asked == 1 ? "one" : Integer.toString(asked)) + " of " + shards;
  }

  private static String spread(BsonDocument plan, int shards) {
    if (shards == 0) {
      return NOT_SHARDED;
    }
    return plan.get("shards") instanceof BsonArray asked ? spread(asked.size(), shards) : "unknown";
  }

  private QueryPlan.Access access() {
    if (scan) {
      return QueryPlan.Access.FULL_SCAN;
    }
    if (wholeTenant) {
      return QueryPlan.Access.TENANT_SCAN;
    }
    if (index) {
      return QueryPlan.Access.INDEX;
    }
    return nothing ? QueryPlan.Access.NONE : QueryPlan.Access.UNKNOWN;
  }

  private void walk(BsonValue value) {
    if (value instanceof BsonArray several) {
      several.forEach(this::walk);
      return;
    }
    if (!(value instanceof BsonDocument stage)) {
      return;
    }
    String name = Bson.text(stage, stage.containsKey("stage") ? "stage" : "Node Type");
    scan |= SCAN_STAGES.contains(name);
    nothing |= name.equals("EOF");
    if (INDEX_STAGES.contains(name)) {
      index = true;
      String used = Bson.text(stage, stage.containsKey("indexName") ? "indexName" : "Index Name");
      // A search by only _id does not name its index.
      indexes.add(used.isEmpty() ? "_id_" : used);
      wholeTenant |= byTenantAlone(stage);
    }
    boolean before = wholeTenant;
    for (String input : INPUTS) {
      if (stage.containsKey(input)) {
        walk(stage.get(input));
      }
    }
    if (INTERSECTIONS.contains(name)) {
      wholeTenant =
          before
              || stage.getArray("inputStages", new BsonArray()).stream()
                  .allMatch(input -> byTenantAlone(input.asDocument()));
    }
  }

  /** Whether an index is read for one tenant, whatever its other fields are. */
  private static boolean byTenantAlone(BsonDocument stage) {
    BsonDocument bounds = Bson.child(stage, "indexBounds");
    return bounds.containsKey(TENANT)
        && bounds.entrySet().stream()
            .filter(field -> !field.getKey().equals(TENANT))
            .allMatch(field -> isUnbounded(field.getValue()));
  }

  private static boolean isUnbounded(BsonValue bounds) {
    return bounds instanceof BsonArray ranges
        && ranges.size() == 1
        && ranges.get(0).isString()
        && ranges.get(0).asString().getValue().equals(UNBOUNDED);
  }
}
