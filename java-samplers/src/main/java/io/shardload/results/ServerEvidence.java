package io.shardload.results;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Explains evidence.json. */
public final class ServerEvidence {
  /** Below this a read without an index may be correct for a server. */
  private static final long FEW_ROWS = 1_000;

  /** Below this reading a tenant's documents through the index on its id is correct. */
  private static final long FEW_OF_TENANT = 20;

  /** As in {@code 4 of 8}; a single shard is written as {@code one of 8}. */
  private static final Pattern SEVERAL = Pattern.compile("(\\d+) of (\\d+)");

  private ServerEvidence() {}

  /** Without the plans' text, which is long; null if there is no evidence. */
  public static JsonElement summary(JsonObject evidence) {
    if (evidence == null) {
      return JsonNull.INSTANCE;
    }
    JsonObject summary = evidence.deepCopy();
    JsonObject plans = Json.object(summary, "plans");
    plans.keySet().forEach(name -> Json.object(plans, name).remove("text"));
    return summary;
  }

  /**
   * Plans that read everything, or all of a tenant, those that go to several shards, and those that
   * are not known.
   */
  public static List<String> findings(JsonObject evidence) {
    JsonObject plans = Json.object(evidence, "plans");
    List<String> findings = new ArrayList<>();
    scans(plans, findings);
    tenantScans(plans, findings);
    scattered(plans, findings);
    unknown(plans, findings);
    return findings;
  }

  /** By table, with the most rows that a transaction reads of it. */
  private static void scans(JsonObject plans, List<String> findings) {
    Map<String, Long> most = new TreeMap<>();
    Map<String, List<String>> transactions = new TreeMap<>();
    for (String name : plans.keySet()) {
      JsonObject scans = Json.object(Json.object(plans, name), "scans");
      for (String table : scans.keySet()) {
        long rows = Json.integer(scans, table, 0);
        if (rows >= FEW_ROWS) {
          most.merge(table, rows, Math::max);
          transactions.computeIfAbsent(table, of -> new ArrayList<>()).add(name);
        }
      }
    }
    most.forEach(
        (table, rows) ->
            add(
                findings,
                "no index narrows the search in %s, so about %d rows are read per call"
                    .formatted(table, rows),
                transactions.get(table)));
  }

  /** The transactions that read much more than they return, because no index narrows it. */
  static Set<String> scanning(JsonObject evidence) {
    JsonObject plans = Json.object(evidence, "plans");
    Set<String> scanning = new TreeSet<>(withAccess(plans, "full-scan"));
    for (String name : plans.keySet()) {
      JsonObject plan = Json.object(plans, name);
      JsonObject scans = Json.object(plan, "scans");
      boolean ofTenant =
          Json.text(plan, "access", "").equals("tenant-scan")
              && Json.integer(plan, "documents_per_tenant", 0) >= FEW_OF_TENANT;
      if (ofTenant
          || scans.keySet().stream().anyMatch(t -> Json.integer(scans, t, 0) >= FEW_ROWS)) {
        scanning.add(name);
      }
    }
    return scanning;
  }

  private static List<String> withAccess(JsonObject plans, String access) {
    return plans.keySet().stream()
        .filter(name -> Json.text(Json.object(plans, name), "access", "").equals(access))
        .toList();
  }

  private static void tenantScans(JsonObject plans, List<String> findings) {
    List<String> scans = withAccess(plans, "tenant-scan");
    long perTenant =
        scans.stream()
            .mapToLong(name -> Json.integer(Json.object(plans, name), "documents_per_tenant", 0))
            .max()
            .orElse(0);
    if (perTenant >= FEW_OF_TENANT) {
      add(
          findings,
          "only the index on id is used, so all documents of a tenant (about "
              + perTenant
              + ") are read",
          scans);
    }
  }

  private static void scattered(JsonObject plans, List<String> findings) {
    List<String> scattered = new ArrayList<>();
    for (String name : plans.keySet()) {
      Matcher several = SEVERAL.matcher(Json.text(Json.object(plans, name), "shards", ""));
      if (several.matches() && Long.parseLong(several.group(1)) > 1) {
        scattered.add(name + " (" + several.group() + ")");
      }
    }
    add(findings, "several shards are asked", scattered);
  }

  private static void unknown(JsonObject plans, List<String> findings) {
    List<String> unknown = withAccess(plans, "unknown");
    if (!unknown.isEmpty()) {
      findings.add(
          String.format(
              Locale.ROOT,
              "the query plans of %d of %d transactions are not known: %s",
              unknown.size(),
              plans.size(),
              Json.text(Json.object(plans, unknown.get(0)), "text", "")));
    }
  }

  private static void add(List<String> findings, String what, List<String> transactions) {
    if (!transactions.isEmpty()) {
      findings.add(what + ": " + String.join(", ", transactions));
    }
  }
}
