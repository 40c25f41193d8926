package io.shardload.verify;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.VerificationVerdict;
import io.shardload.bundle.WholeFile;
import io.shardload.verify.Finding.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The result of comparing a target with what was acknowledged: {@code verification.json}.
 *
 * @param verdict a constant of {@link VerificationVerdict}
 * @param reason why it was not run, or null
 * @param caveat what the server could not tell of generators that still wrote, or empty
 * @param walked rows read
 * @param expected documents that surely had to be there
 * @param settledUnknown documents whose state was not known and is now
 * @param toleratedAfterCutOff those of them that only the lost end of a journal explains
 * @param findings the first hundred of each kind
 */
public record Verification(
    String verdict,
    String reason,
    String caveat,
    long walked,
    long expected,
    Map<Kind, Long> counts,
    long settledUnknown,
    long toleratedAfterCutOff,
    List<Finding> findings,
    double seconds) {
  static Verification notRun(String reason) {
    return new Verification(
        VerificationVerdict.NOT_RUN, reason, "", 0, 0, new Findings().counts(), 0, 0, List.of(), 0);
  }

  static Verification of(Expectation result, String caveat, double seconds) {
    Findings findings = result.findings();
    return new Verification(
        findings.total() == 0 ? VerificationVerdict.CLEAN : VerificationVerdict.WRONG,
        null,
        caveat,
        result.walked(),
        result.expected(),
        findings.counts(),
        result.settledUnknown(),
        result.tolerated(),
        findings.kept(),
        seconds);
  }

  /** How many findings there are. */
  public long wrong() {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }

  public JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("verdict", verdict);
    json.addProperty("reason", reason);
    json.addProperty("caveat", caveat);
    json.addProperty("walked", walked);
    json.addProperty("expected", expected);
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
      item.addProperty("detail", finding.detail());
      list.add(item);
    }
    json.add("findings", list);
    json.addProperty("seconds", seconds);
    return json;
  }

  /** Writes {@code verification.json} into a run bundle. */
  public void write(Path bundle) throws IOException {
    WholeFile.writeJson(new BundleLayout(bundle).verification(), toJson());
  }
}
