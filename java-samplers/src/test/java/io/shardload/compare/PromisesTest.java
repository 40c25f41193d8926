package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A side that is faster because it promises less is no better side. */
class PromisesTest {
  private static final String REFUSED =
      "not judged: one system, and acknowledged writes are not equally durable (A on one disk, B in"
          + " memory); both target files may say that they differ on purpose (target.durability)";
  private static final String BOTH = "; acknowledged writes: A on one disk, B in memory";

  @TempDir private Path directory;
  private ExampleComparison example;

  @BeforeEach
  void example() {
    example = new ExampleComparison(directory.resolve("runs"), 7, 2);
  }

  private static ExampleComparison.Change durable(String level, String product, String target) {
    return bundle -> {
      JsonObject environment = bundle.environment;
      environment.add("durability", BundleFixture.parse("{'words':'x'}"));
      environment.getAsJsonObject("durability").addProperty("level", level);
      environment.getAsJsonObject("server").addProperty("name", product);
      BundleFixture.parse(target).asMap().forEach(bundle.run.getAsJsonObject("target")::add);
    };
  }

  /** The console's lines of five rounds in which B is clearly faster. */
  private List<String> lines(ExampleComparison.Change a, ExampleComparison.Change b)
      throws IOException {
    List<Path> bundles = new ArrayList<>();
    for (char side : "ABBABAABAB".toCharArray()) {
      boolean base = side == 'A';
      bundles.add(example.run("t", base ? 4 : 2, 0.02, base ? a : b));
    }
    return ExampleComparison.lines(ExampleComparison.series(directory, bundles));
  }

  private String verdict() throws IOException {
    JsonObject effect =
        Json.object(ExampleComparison.json(directory), "sum", "effects", "B", "service_ns.mean");
    return Json.text(effect, "verdict", "");
  }

  private static String last(List<String> lines) {
    return lines.stream().filter(line -> line.startsWith("B (")).findFirst().orElseThrow();
  }

  /** Turned red by a refusal that is left out, and by one that needs another system. */
  @Test
  void oneSystemIsRefused() throws IOException {
    List<String> lines = lines(durable("one disk", "S", "{}"), durable("memory", "S", "{}"));
    assertThat(lines).contains(REFUSED);
    assertThat(last(lines)).contains("no figure decides").endsWith(BOTH);
    assertThat(verdict()).isEqualTo("not judged");
  }

  /** Turned red by each of the keys, left out. */
  @Test
  void whatWasVariedOnPurposeIsJudged() throws IOException {
    for (String keys :
        List.of(
            "{'durability':'%s'}",
            "{'options':{'write-concern':'%s'}}", "{'options':{'journal':'%s'}}")) {
      List<String> lines =
          lines(
              durable("one disk", "S", keys.formatted("one disk")),
              durable("memory", "S", keys.formatted("memory")));
      assertThat(lines).doesNotContain(REFUSED);
      assertThat(last(lines)).contains("service mean faster, ").endsWith(BOTH);
      assertThat(ExampleComparison.json(directory).get("varied").toString())
          .contains("target.durability");
    }
  }

  /** Turned red by a clause of different levels only. */
  @Test
  void theSentenceAcrossSystemsSaysBoth() throws IOException {
    List<String> lines = lines(durable("one disk", "S", "{}"), durable("memory", "T", "{}"));
    assertThat(last(lines)).contains("service mean faster, ").endsWith(BOTH);
    lines = lines(durable("one disk", "S", "{}"), durable("one disk", "T", "{}"));
    assertThat(last(lines)).endsWith("; acknowledged writes: A on one disk, B on one disk");
    JsonObject side =
        Json.array(ExampleComparison.json(directory), "sides").get(1).getAsJsonObject();
    assertThat(Json.text(side, "promises", "")).endsWith("B on one disk");
    assertThat(Json.text(side, "durability", "")).isEqualTo("one disk: x");
  }

  /** Turned red by an unknown level that counts as another one. */
  @Test
  void whatIsNotKnownRefusesNothing() throws IOException {
    List<String> lines = lines(durable("one disk", "S", "{}"), durable("unknown", "S", "{}"));
    assertThat(last(lines))
        .contains("service mean faster, ")
        .endsWith("; acknowledged writes: A on one disk, B at an unknown place");
    lines = lines(durable("memory", "S", "{}"), durable("memory", "S", "{}"));
    assertThat(last(lines)).contains("service mean faster, ").doesNotContain("acknowledged");
  }
}
