package io.shardload.cli;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
import io.shardload.driver.Target;
import io.shardload.generator.RunConfig;
import io.shardload.workload.CallFailure;
import io.shardload.workload.statements.StatementsModel;

/**
 * The verb {@code workload-check}: what the target's server finds wrong with a workload folder, and
 * sample rows and calls. It touches no data. Problems that need no server were refused when the
 * configuration was read.
 */
public final class WorkloadCheck {
  private static final int MOST_SHOWN = 1000;

  private WorkloadCheck() {}

  /**
   * Answers {@code problems}, a list of lines, and {@code preview}, if the request asks for so many
   * rows and calls and there is no problem.
   */
  public static JsonObject run(JsonObject request, RunConfig config, Target target)
      throws CallFailure {
    if (!(config.model() instanceof StatementsModel model)) {
      throw new ConfigException(
          "workload.name", "is not a workload folder: there are no files to check");
    }
    JsonObject ok = new JsonObject();
    var problems = model.problems(target);
    ok.add("problems", new Gson().toJsonTree(problems));
    int shown = (int) Math.min(MOST_SHOWN, Json.integer(request, "preview", 0));
    if (shown > 0 && problems.isEmpty()) {
      ok.add("preview", model.preview(target, shown));
    }
    return ok;
  }
}
