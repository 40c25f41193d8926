package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.report.Chromium;
import io.shardload.report.Drawn;
import io.shardload.report.JenkinsPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The comparison without scripts: the same as the other one, in Chromium under Jenkins' policy. */
class StaticComparePageTest {
  private static final int SIDE_A = 0x0a5fbf;
  private static final int SIDE_B = 0xd4660b;

  @TempDir Path directory;

  private Path staticPage(JsonObject request) throws IOException {
    Path into = directory.resolve("static");
    request.addProperty("static_into", into.toString());
    assertThat(CompareVerb.run(request).getAsJsonArray("lines").asList())
        .extracting(JsonElement::getAsString)
        .endsWith("static  " + into.resolve("index.html"));
    return into;
  }

  @Test
  void saysWhatTheOtherPageSays() throws IOException, InterruptedException {
    ExampleComparison two = new ExampleComparison(directory.resolve("runs"), 3, 10);
    Path into = staticPage(ExampleComparison.series(directory, two.ten(2, 2.4, 0.02)));
    List<String> texts = Drawn.texts(Files.readString(into.resolve("index.html")));
    assertThat(texts)
        .contains("Ratio to")
        .anyMatch(text -> text.matches("chart ratios to the base.*, value 1\\.1\\d+ .* slower.*"))
        .anyMatch(text -> text.matches("chart RPS over time.*, line side-1 thick 10"))
        .isEqualTo(Drawn.texts(Chromium.open(directory.resolve("compare.html"))));
    Path png = directory.resolve("page.png");
    try (JenkinsPolicy jenkins = new JenkinsPolicy(into)) {
      assertThat(Chromium.picture(jenkins.page("index.html"), png)).isEmpty();
    }
    assertThat(Drawn.pixels(png, SIDE_A)).as("bars of A").isGreaterThan(5000);
    assertThat(Drawn.pixels(png, SIDE_B)).as("bars of B").isGreaterThan(5000);
  }

  /** Values are in SVG text: a chart says them as its lines do. */
  @Test
  void drawsWhatLacksThings() throws IOException {
    for (JsonObject request :
        List.of(
            ExampleComparison.request(directory, ExampleComparison.four(directory.resolve("runs"))),
            ExampleComparison.interrupted(directory))) {
      assertThat(Files.readString(staticPage(request).resolve("index.html")))
          .contains("<main><header>", "<text class=\"value\"", "</footer></main>")
          .doesNotContain("NaN", "undefined", "Infinity", "[object", "<select", "<button")
          .doesNotContainPattern("(?i)<[^>]* (style|on\\w+)=");
    }
  }

  /** Before the work, not after it. */
  @Test
  void refusesAFolderThatIsNotOurs() throws IOException {
    Path into = Files.createDirectories(directory.resolve("static"));
    Files.writeString(into.resolve("index.html"), "mine");
    JsonObject request =
        ExampleComparison.request(directory, ExampleComparison.four(directory.resolve("runs")));
    assertThatThrownBy(() -> staticPage(request)).isInstanceOf(ConfigException.class);
    assertThat(directory.resolve("compare.html")).doesNotExist();
  }
}
