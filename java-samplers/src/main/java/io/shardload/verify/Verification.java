package io.shardload.verify;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.VerificationMode;
import io.shardload.bundle.VerificationVerdict;
import io.shardload.bundle.WholeFile;
import io.shardload.bundle.json.Json;
import io.shardload.verify.Finding.Kind;
import io.shardload.workload.Model;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * The result of comparing a target with what was acknowledged: {@code verification.json}.
 *
 * @param verdict a constant of {@link VerificationVerdict}
 * @param mode which documents were read
 * @param scope what the mode leaves out, or why it is not the requested mode; or empty
 * @param reason why it was not run, or null
 * @param caveat what the server could not report about generators that were still writing, or empty
 * @param walked rows read
 * @param expected documents that must exist, among the documents to be read
 * @param estimated documents on the target by the server's own estimate, which the verdict ignores;
 *     or null
 * @param settledUnknown documents whose state was not known and is now
 * @param toleratedAfterCutOff those of them that only the lost end of a journal explains
 * @param findings the first hundred of each kind
 * @param lostWrites what is missing of the acknowledged writes, and since when; null where
 *     documents were not compared or the run had no faults
 * @param checks what the workload's checks answered; null where it has none
 */
public record Verification(
    String verdict,
    VerificationMode mode,
    String scope,
    String reason,
    String caveat,
    long walked,
    long expected,
    Long estimated,
    Map<Kind, Long> counts,
    long settledUnknown,
    long toleratedAfterCutOff,
    List<Finding> findings,
    JsonObject lostWrites,
    JsonArray checks,
    double seconds) {
  static Verification notRun(String reason) {
    return nothingRead(VerificationVerdict.NOT_RUN, reason);
  }

  /** Nothing was read, because nothing was to be read. */
  static Verification skipped(String reason) {
    return nothingRead(VerificationVerdict.SKIPPED, reason);
  }

  private static Verification nothingRead(String verdict, String reason) {
    Map<Kind, Long> none = new Findings().counts();
    return new Verification(
        verdict,
        VerificationMode.NONE,
        "",
        reason,
        "",
        0,
        0,
        null,
        none,
        0,
        0,
        List.of(),
        null,
        null,
        0);
  }

  /**
   * For documents that were read back.
   *
   * @param model that names them
   * @param checked what the workload's checks answered besides
   * @param lostWrites null in a run without faults
   */
  static Verification of(
      Expectation result,
      Model<?> model,
      CheckedRun.Result checked,
      LostWrites lostWrites,
      Verifier.Scope scope,
      String caveat,
      OptionalLong estimated,
      double seconds) {
    Findings findings = result.findings();
    return new Verification(
        findings.total() == 0 && checked.wrong() == 0
            ? VerificationVerdict.CLEAN
            : VerificationVerdict.WRONG,
        scope.mode(),
        scope.words(),
        null,
        caveat,
        result.walked(),
        result.expected(),
        estimated.isPresent() ? estimated.getAsLong() : null,
        findings.counts(),
        result.settledUnknown(),
        result.tolerated(),
        findings.kept().stream().map(one -> one.named(model)).toList(),
        lostWrites == null ? null : lostWrites.toJson(),
        checked.checks(),
        seconds);
  }

  /** For data whose single documents are not tracked. */
  static Verification of(CheckedRun.Result result, String caveat, double seconds) {
    if (!result.notRun().isEmpty()) {
      return notRun(result.notRun());
    }
    boolean wrong = result.wrong() > 0;
    String verdict =
        wrong
            ? VerificationVerdict.WRONG
            : result.asked() ? VerificationVerdict.CLEAN : VerificationVerdict.SKIPPED;
    return new Verification(
        verdict,
        result.asked() ? VerificationMode.CHECKS : VerificationMode.NONE,
        "single documents were not verified",
        result.asked() ? null : "no check of the workload was run",
        caveat,
        0,
        0,
        null,
        new Findings().counts(),
        0,
        0,
        List.of(),
        null,
        result.checks(),
        seconds);
  }

  /** How many findings there are, or checks that found the data wrong. */
  public long wrong() {
    long wrongChecks =
        checks == null
            ? 0
            : checks.asList().stream()
                .map(JsonElement::getAsJsonObject)
                .filter(one -> Json.text(one, "verdict", "").equals(VerificationVerdict.WRONG))
                .count();
    return wrongChecks + counts.values().stream().mapToLong(Long::longValue).sum();
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("verdict", verdict);
    json.addProperty("mode", mode.label());
    json.addProperty("scope", scope);
    json.addProperty("reason", reason);
    json.addProperty("caveat", caveat);
    json.addProperty("walked", walked);
    json.addProperty("expected", expected);
    json.addProperty("estimated_documents", estimated);
    JsonObject byKind = new JsonObject();
    counts.forEach((kind, count) -> byKind.addProperty(kind.label(), count));
    json.add("counts", byKind);
    json.addProperty("settled_unknown", settledUnknown);
    json.addProperty("tolerated_after_cut_off", toleratedAfterCutOff);
    JsonArray list = new JsonArray();
    for (Finding finding : findings) {
      JsonObject item = new JsonObject();
      item.addProperty("kind", finding.kind().label());
      item.addProperty("ordinal", finding.ordinal());
      if (!finding.name().isEmpty()) {
        item.addProperty("name", finding.name());
      }
      item.addProperty("detail", finding.detail());
      list.add(item);
    }
    json.add("findings", list);
    if (lostWrites != null) {
      json.add("lost_writes", lostWrites);
    }
    if (checks != null) {
      json.add("checks", checks);
    }
    json.addProperty("seconds", seconds);
    return json;
  }

  /** Writes {@code verification.json} into a run bundle. */
  public void write(Path bundle) throws IOException {
    WholeFile.writeJson(new BundleLayout(bundle).verification(), toJson());
  }

  /** Counts all findings and keeps a hundred of each kind. Thread-safe. */
  static final class Findings {
    private static final int KEPT_PER_KIND = 100;
    private static final Comparator<Finding> ORDER =
        Comparator.comparing(Finding::kind)
            .thenComparing(Finding::ordinal, Comparator.nullsFirst(Comparator.naturalOrder()))
            .thenComparing(Finding::detail);

    private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
    private final List<Finding> kept = new ArrayList<>();

    Findings() {
      for (Kind kind : Kind.values()) {
        counts.put(kind, 0L);
      }
    }

    synchronized void add(Kind kind, Long ordinal, String detail) {
      long count = counts.merge(kind, 1L, Long::sum);
      if (count <= KEPT_PER_KIND) {
        kept.add(new Finding(kind, ordinal, detail, ""));
      }
    }

    synchronized long total() {
      return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    synchronized Map<Kind, Long> counts() {
      return new EnumMap<>(counts);
    }

    /** By kind and ordinal, because the order of the rows differs between walks. */
    synchronized List<Finding> kept() {
      return kept.stream().sorted(ORDER).toList();
    }
  }
}
