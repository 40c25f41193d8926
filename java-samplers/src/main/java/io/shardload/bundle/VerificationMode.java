package io.shardload.bundle;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** Which documents the verification reads: {@code run.verification} and verification.json. */
public enum VerificationMode {
  /** Every document of the target. */
  ALL,
  /** Those that the run inserted, updated or deleted, by key. */
  WRITTEN,
  /** None. */
  NONE,
  /** None, but the workload's own checks ran; a profile cannot ask for this mode. */
  CHECKS;

  /** As profiles and bundles have it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What a profile may ask for. */
  public static List<String> labels() {
    return Stream.of(ALL, WRITTEN, NONE).map(VerificationMode::label).toList();
  }

  /** Whether documents were read or could have been, by verification.json: not checks alone. */
  public static boolean isOfDocuments(JsonObject verification) {
    String mode = Json.text(verification, "mode", "");
    return verification == null
        || !verification.has("checks")
        || List.of(ALL.label(), WRITTEN.label()).contains(mode);
  }

  /** The mode of one of {@link #labels}. */
  public static VerificationMode of(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT));
  }
}
