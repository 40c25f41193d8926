package io.shardload.results.hosts;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What evidence.json means for the reader. */
public final class ServerEvidence {
  /** Below this a server may rightly read the whole table instead of an index. */
  private static final long FEW_DOCUMENTS = 1_000;

  /** Below this a tenant's documents are rightly read through the index on its id alone. */
  private static final long FEW_OF_TENANT = 20;

  /** As in {@code 4 of 8}; a single shard is told as {@code one of 8}. */
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
    List<String> scans = new ArrayList<>();
    List<String> wholeTenants = new ArrayList<>();
    List<String> scattered = new ArrayList<>();
    long perTenant = 0;
    List<String> reasons = new ArrayList<>();
    JsonObject plans = Json.object(evidence, "plans");
    for (String name : plans.keySet()) {
      JsonObject plan = Json.object(plans, name);
      String access = Json.text(plan, "access", "");
      if (access.equals("full-scan")) {
        scans.add(name);
      }
      if (access.equals("tenant-scan")) {
        wholeTenants.add(name);
        perTenant = Json.integer(plan, "documents_per_tenant", 0);
      }
      Matcher several = SEVERAL.matcher(Json.text(plan, "shards", ""));
      if (several.matches() && Long.parseLong(several.group(1)) > 1) {
        scattered.add(name + " (" + several.group() + ")");
      }
      if (access.equals("unknown")) {
        reasons.add(Json.text(plan, "text", ""));
      }
    }
    List<String> findings = new ArrayList<>();
    long documents = Json.integer(evidence, "documents", 0);
    if (documents >= FEW_DOCUMENTS) {
      add(findings, "no index, the whole table of " + documents + " documents is read", scans);
    }
    if (perTenant >= FEW_OF_TENANT) {
      add(
          findings,
          "no index but that on id helps, all documents of a tenant (about "
              + perTenant
              + ") are read",
          wholeTenants);
    }
    add(findings, "scattered over several shards", scattered);
    if (!reasons.isEmpty()) {
      findings.add(
          String.format(
              Locale.ROOT,
              "plans of %d of %d transactions are not known: %s",
              reasons.size(),
              plans.size(),
              reasons.get(0)));
    }
    return findings;
  }

  private static void add(List<String> findings, String what, List<String> transactions) {
    if (!transactions.isEmpty()) {
      findings.add(what + ": " + String.join(", ", transactions));
    }
  }
}
