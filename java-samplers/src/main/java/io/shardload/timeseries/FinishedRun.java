package io.shardload.timeseries;

import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.LedgerFile;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A bundle of a run that was judged. */
record FinishedRun(Bundle bundle, JsonObject summary) {
  /**
   * Reads it.
   *
   * @throws ConfigException the run has no readable summary, or recorded nothing
   */
  static FinishedRun read(Path directory) throws IOException {
    Path file = new BundleLayout(directory).summary();
    String name = String.valueOf(directory.getFileName());
    if (!Files.isRegularFile(file)) {
      throw new ConfigException(
          "",
          name
              + " has no summary.json: the run is still running or was cut off; \"shardload report "
              + name
              + "\" writes it");
    }
    JsonObject summary = LedgerFile.parse(Files.readString(file));
    if (summary == null) {
      throw new ConfigException(
          "",
          name + ": summary.json cannot be read; \"shardload report " + name + "\" rewrites it");
    }
    FinishedRun run = new FinishedRun(BundleReader.read(directory), summary);
    if (RunTimes.of(run.bundle).startMillis() == 0) {
      throw new ConfigException(
          "", name + " contains no measurement: its generators recorded nothing");
    }
    return run;
  }

  String id() {
    return Json.text(Json.object(bundle.run(), "run"), "id", "none");
  }
}
