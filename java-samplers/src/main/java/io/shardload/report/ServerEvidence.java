package io.shardload.report;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What evidence.json means for the reader. */
final class ServerEvidence {
  /** Below this a server may rightly read the whole table instead of an index. */
  private static final long FEW_DOCUMENTS = 10_000;

  /** As in {@code 4 of 8}; a single shard is told as {@code one of 8}. */
  private static final Pattern SEVERAL = Pattern.compile("(\\d+) of (\\d+)");

  private ServerEvidence() {}

  /** Without the plans' text, which is long; null if there is no evidence. */
  static JsonElement summary(JsonObject evidence) {
    if (evidence == null) {
      return JsonNull.INSTANCE;
    }
    JsonObject summary = evidence.deepCopy();
    JsonObject plans = Json.object(summary, "plans");
    plans.keySet().forEach(name -> Json.object(plans, name).remove("text"));
    return summary;
  }

  /** Plans that read everything, those that go to several shards, and those that are not known. */
  static List<String> findings(JsonObject evidence) {
    List<String> findings = new ArrayList<>();
    List<String> unknown = new ArrayList<>();
    JsonObject plans = Json.object(evidence, "plans");
    long documents = Json.integer(evidence, "documents", 0);
    for (String name : plans.keySet()) {
      JsonObject plan = Json.object(plans, name);
      String access = Json.text(plan, "access", "");
      if (access.equals("full-scan") && documents >= FEW_DOCUMENTS) {
        findings.add(
            String.format(
                Locale.ROOT,
                "%s reads the whole table (%d documents loaded): its plan uses no index",
                name,
                documents));
      }
      Matcher several = SEVERAL.matcher(Json.text(plan, "shards", ""));
      if (several.matches() && Long.parseLong(several.group(1)) > 1) {
        findings.add(name + " goes to " + several.group() + " shards");
      }
      if (access.equals("unknown")) {
        unknown.add(name + " (" + Json.text(plan, "text", "") + ")");
      }
    }
    if (!unknown.isEmpty()) {
      findings.add(
          "the server explains "
              + (plans.size() - unknown.size())
              + " of "
              + plans.size()
              + " transactions; not, for example, "
              + unknown.get(0));
    }
    return findings;
  }
}
