package io.shardload.bundle;

import com.google.gson.JsonObject;
import io.shardload.bundle.verification.VerificationMode;
import io.shardload.bundle.verification.VerificationVerdict;
import java.nio.file.Path;
import java.util.List;

/**
 * A run bundle as read. The JSON parts are null where the run was cut off before it wrote them.
 *
 * @param run the effective configuration (run.json); never null
 * @param problems what could not be read, in plain words
 */
public record Bundle(
    Path directory,
    JsonObject run,
    JsonObject environment,
    JsonObject evidence,
    JsonObject verification,
    JsonObject outcome,
    List<GeneratorLog> generators,
    List<String> problems) {

  public boolean open() {
    return !"closed".equals(Json.text(Json.object(run, "load"), "model", "open"));
  }

  /**
   * Whether there was a database that keeps what is written. Bundles without this fact have the
   * rows at the start instead, unless the target keeps none; a run that ended before it wrote down
   * either counts as one with a database.
   */
  public boolean keepsData() {
    JsonObject target = Json.object(environment, "target");
    if (target.has("keeps_data")) {
      return Json.flag(target, "keeps_data");
    }
    boolean recorded = !Json.object(environment, "client").isEmpty();
    return !recorded || environment.has("rows_at_start");
  }

  public boolean sharesMachine() {
    return Json.flag(Json.object(environment, "target"), "shares_machine");
  }

  /**
   * Whether a read has to show every write that was acknowledged before it. Bundles without this
   * fact are judged by the client's own settings; false if these are silent.
   */
  public boolean readsPrimary() {
    JsonObject target = Json.object(environment, "target");
    return target.has("reads_primary") ? Json.flag(target, "reads_primary") : settingsReadPrimary();
  }

  /** All reads go to one primary, which does not hide what is not yet on a majority. */
  private boolean settingsReadPrimary() {
    JsonObject client = Json.object(environment, "client");
    boolean latest =
        switch (Json.text(client, "read-concern", "local")) {
          case "local", "linearizable" -> true;
          case "majority" -> Json.text(client, "write-concern", "").equals("majority");
          default -> false;
        };
    boolean one = Json.text(client, "balance", "first").equals("first");
    String from = Json.text(client, "reads", Json.text(client, "read-preference", ""));
    return latest && one && from.equals("primary");
  }

  /** A constant of {@link VerificationVerdict}; a bundle without verification has not run it. */
  public String verificationVerdict() {
    return Json.text(verification, "verdict", VerificationVerdict.NOT_RUN);
  }

  /** Which documents were read back; bundles that do not say have read all. */
  public VerificationMode verificationMode() {
    return VerificationMode.of(Json.text(verification, "mode", VerificationMode.ALL.label()));
  }

  /** What the server only pretends to be, in one sentence; empty for a real one. */
  public String fake() {
    return Json.text(Json.object(environment, "target"), "fake", "");
  }

  /** How many generators the run should have. */
  public int expectedGenerators() {
    return (int) Math.max(1, Json.integer(Json.object(run, "load"), "generators", 1));
  }
}
