package io.shardload.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the server said stands in summary, page and closing lines.
 *
 * <p>Mutations that turned it red: the last generator's sample instead of the first one's; kinds in
 * the order of their names.
 */
class SampledErrorsTest {
  private static final String LOST =
      "ERROR: connection to the remote node shardload@127.0.0.1:25434 failed";

  @TempDir Path directory;

  private BundleFixture bundle() {
    BundleFixture bundle = new BundleFixture(directory.resolve("run"));
    bundle.segment("hold", "hold", 1, 20);
    bundle.load().addProperty("generators", 2);
    for (int i = 0; i < 2; i++) {
      BundleFixture.Generator generator = bundle.generator(i);
      generator.done(0, "hold", "update", 7).scheduled("hold", "update", 3);
      generator.count(0, "hold", "update", "started", 3).count(0, "hold", "update", "failed", 3);
      generator.error(0, "hold", "update", "code-1", 1);
      generator.error(0, "hold", "update", "node-lost", 2);
    }
    bundle.generator(0).errorSamples.addProperty("node-lost", LOST);
    bundle.generator(1).errorSamples.addProperty("node-lost", "another <b>");
    return bundle;
  }

  @Test
  void standsInSummaryAndClosingLines() throws IOException {
    JsonObject finished = FinishVerb.finish(bundle().write());

    List<String> lines =
        Json.array(finished, "lines").asList().stream().map(JsonElement::getAsString).toList();
    assertThat(lines)
        .containsSequence("error     4 x node-lost, first: " + LOST, "error     2 x code-1");
    JsonObject summary =
        JsonParser.parseString(Files.readString(directory.resolve("run/summary.json")))
            .getAsJsonObject();
    assertThat(summary.get("error_samples").toString())
        .isEqualTo("{\"node-lost\":\"" + LOST + "\"}");
  }

  /** 26,466 documents walked and 25,600 expected looked like a contradiction. */
  @Test
  void documentsOfUnknownOutcomesAreExplained() throws IOException {
    BundleFixture bundle = bundle();
    bundle.verification =
        BundleFixture.parse(
            "{'verdict':'clean','walked':26466,'expected':25600,'counts':{'lost':0,'foreign':0}}");

    JsonObject finished = FinishVerb.finish(bundle.write());

    assertThat(Json.array(finished, "lines").toString())
        .contains(
            "\"verified  26,466 documents, 0 wrong; 25,600 expected,"
                + " 866 more from calls with an unknown outcome\"");
    bundle.verification.addProperty("expected", 26466);
    assertThat(Json.array(FinishVerb.finish(bundle.write()), "lines").toString())
        .contains("\"verified  26,466 documents, 0 wrong\"");
  }

  @Test
  void standsOnThePage() throws IOException {
    JsonObject written = FinishVerb.staticPage(bundle().write(), directory.resolve("static"));
    assertThat(Files.readString(Path.of(Json.text(written, "report", ""))))
        .contains("First message", LOST)
        .doesNotContain("another");
  }
}
