package io.shardload.bundle;

import com.google.gson.JsonObject;
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

  public boolean noop() {
    return "noop".equals(Json.text(Json.object(run, "target"), "driver", ""));
  }

  public boolean sharesMachine() {
    return Json.flag(Json.object(environment, "target"), "shares_machine");
  }

  /**
   * Whether a read has to show every write that was acknowledged before it: all reads go to one
   * primary, which does not hide what is not yet on a majority. By the client's own settings; false
   * if these are silent.
   */
  public boolean readsPrimary() {
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

  /** What the server only pretends to be, in one sentence; empty for a real one. */
  public String fake() {
    return Json.text(Json.object(environment, "target"), "fake", "");
  }

  /** How many generators the run should have. */
  public int expectedGenerators() {
    return (int) Math.max(1, Json.integer(Json.object(run, "load"), "generators", 1));
  }
}
