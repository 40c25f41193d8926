package io.shardload.results;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.report.FinishVerb;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A bundle that a test fills, and what the verb {@code finish} makes of it. */
public abstract class Finished {
  @TempDir protected Path directory;
  protected BundleFixture bundle;

  @BeforeEach
  void createBundle() {
    bundle = new BundleFixture(directory);
  }

  /** summary.json after the verb {@code finish}. */
  public static JsonObject summary(Path bundle) throws IOException {
    FinishVerb.finish(bundle);
    return BundleFixture.read(bundle.resolve("summary.json"));
  }

  protected final JsonObject summary() throws IOException {
    return summary(bundle.write());
  }

  protected final List<String> findings() throws IOException {
    return BundleFixture.texts(summary(), "findings");
  }

  /** What the console says. */
  protected final List<String> lines() throws IOException {
    return BundleFixture.texts(FinishVerb.finish(bundle.write()), "lines");
  }

  /** Writes the bundle and expects these reasons and no other; returns the summary. */
  protected final JsonObject expect(int code, String... reasons) throws IOException {
    bundle.write();
    return finished(code, reasons);
  }

  /** The same of a bundle that is written already. */
  protected final JsonObject finished(int code, String... reasons) throws IOException {
    JsonObject reply = FinishVerb.finish(bundle.directory);
    JsonObject verdict = reply.getAsJsonObject("verdict");
    assertThat(BundleFixture.texts(verdict, "reasons")).containsExactly(reasons);
    assertThat(verdict.get("code").getAsInt()).isEqualTo(code);
    assertThat(reply.get("exit").getAsInt()).isEqualTo(code);
    return BundleFixture.read(bundle.directory.resolve("summary.json"));
  }
}
