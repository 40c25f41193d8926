package io.shardload.sampler;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.VerificationMode;
import io.shardload.bundle.WholeFile;
import io.shardload.dataset.DataSet;
import io.shardload.driver.Target;
import io.shardload.generator.RunConfig;
import io.shardload.verify.BegunRun;
import io.shardload.verify.CheckedRun;
import io.shardload.verify.Verification;
import io.shardload.verify.Verifier;
import io.shardload.workload.CallFailure;
import java.io.IOException;
import java.nio.file.Files;

/**
 * Replaces the controller for a generator without one, in a user's own JMeter: marks the data set
 * before the run, and afterwards settles it from the journal, without reading the documents.
 */
final class Standalone {
  private static final String NOT_READ = "the documents were not read back";

  private Standalone() {}

  /**
   * Marks the data set as being written; it must have been loaded, and be clean. Keeps the
   * configuration in the bundle, so that a report can be made of it.
   */
  static void begin(RunConfig config, JsonObject json) throws IOException {
    if (Files.exists(new BundleLayout(config.directory()).run())) {
      throw new IOException(
          config.directory() + " already contains a run; choose another directory");
    }
    try (Target target = open(config)) {
      Files.createDirectories(config.directory());
      WholeFile.writeJson(new BundleLayout(config.directory()).run(), json);
      DataSet dataSet = DataSet.open(target, config.workload(), config.model(), false);
      BegunRun.refuseLost(config.directory().toAbsolutePath().getParent(), dataSet.header());
      CheckedRun.before(target, config.model(), dataSet.header());
      BegunRun.write(config.directory(), dataSet.begin(config.runId()));
    } catch (CallFailure e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /** Settles the data set after the generator was closed; returns the result in one line. */
  static String settle(RunConfig config) throws IOException {
    try (Target target = open(config)) {
      Verifier verifier = new Verifier(target, config.workload(), config.model());
      Verification settled =
          config.verification() == VerificationMode.NONE
              ? verifier.skip(config.directory())
              : verifier.settleOnly(config.directory(), NOT_READ);
      // A thread group may end its threads: this does not count as an interruption.
      JsonObject outcome = new JsonObject();
      outcome.addProperty("interrupted", false);
      outcome.addProperty("stopped_by", "thread-group");
      outcome.add("criteria", new JsonArray());
      WholeFile.writeJson(new BundleLayout(config.directory()).outcome(), outcome);
      return settled.reason();
    }
  }

  private static Target open(RunConfig config) {
    return config.driver().open(config.target(), config.session());
  }
}
