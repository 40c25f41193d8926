package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said aloud of runs that are not alike; the bundles are of one second. */
class ComparabilityTest {
  @TempDir Path directory;
  private ExampleComparison example;
  private Path plain;

  @BeforeEach
  void plainRun() throws IOException {
    example = new ExampleComparison(directory.resolve("runs"), 11, 1);
    plain = example.run("a", 2, 0);
  }

  private List<String> lines(ExampleComparison.Change change, String... varied) throws IOException {
    List<Path> two = List.of(plain, example.run("b", 2, 0, change));
    JsonObject request = ExampleComparison.request(directory, two);
    request.add("varied", Json.strings(List.of(varied)));
    return ExampleComparison.lines(request);
  }

  /** The aspects that the console calls not comparable; compare.json and page have the same. */
  private List<String> aspects(ExampleComparison.Change change) throws IOException {
    List<String> told = new ArrayList<>();
    for (String line : lines(change)) {
      if (line.startsWith("NOT COMPARABLE  ")) {
        told.add(line.substring("NOT COMPARABLE  ".length(), line.indexOf(": ")));
      }
    }
    JsonObject json = ExampleComparison.json(directory);
    assertThat(Json.array(json, "not_comparable").asList())
        .extracting(one -> Json.text(one.getAsJsonObject(), "aspect", ""))
        .containsExactlyElementsOf(told);
    String page = Files.readString(directory.resolve("compare.html"));
    assertThat(told).allMatch(page::contains);
    return told;
  }

  @Test
  void theParametersOfAnotherFolderFillNoScreen() throws IOException {
    JsonObject parameters = new JsonObject();
    for (int i = 0; i < 200; i++) {
      parameters.add("parameter_" + i, BundleFixture.parse("{'type':'integer','max':" + i + "}"));
    }
    List<String> lines =
        lines(b -> b.run.getAsJsonObject("workload").add("parameters", parameters));
    assertThat(lines)
        .filteredOn(line -> line.startsWith("NOT COMPARABLE  parameters: "))
        .singleElement()
        .asString()
        .hasSizeLessThan(1_000)
        .contains("parameters.parameter_0.max", "... (compare.json has the rest)");
    assertThat(ExampleComparison.json(directory).toString()).contains("parameter_199.max 199");
  }

  /** Turned red by an option that counts as a parameter, or as another data set. */
  @Test
  void anOptionOfAFolderCountsAsVaried() throws IOException {
    plain = example.run("a", 2, 0, b -> choose(b, "'indexes':'basic','limit':10", 300));
    List<String> lines =
        lines(
            b -> {
              choose(b, "'indexes':'text','limit':10", 500);
              b.environment.getAsJsonObject("data").addProperty("tables.docs", 200);
            });
    assertThat(lines)
        .filteredOn(line -> line.contains("COMPARABLE") || line.startsWith("VARIED"))
        .containsExactly(
            "VARIED  options: the workload's own options differ: A indexes basic; B indexes text",
            "VARIED  documents: the data sets differ in size: A 300; B 500",
            "VARIED  data shape: the documents or their keys differ: A tables.docs -; B tables.docs"
                + " 200");
    JsonObject json = ExampleComparison.json(directory);
    assertThat(json.get("varied")).hasToString("[\"workload.options.indexes\"]");
  }

  private static void choose(BundleFixture bundle, String options, int documents) {
    JsonObject chosen = BundleFixture.parse("{" + options + "}");
    bundle.run.getAsJsonObject("workload").add("chosen", chosen);
    JsonObject data = BundleFixture.parse("{'documents':" + documents + "}");
    data.add("options", chosen);
    bundle.environment.add("data", data);
  }

  /** Each difference is said by its name and nothing else is. */
  @Test
  void saysWhatIsNotComparable() throws IOException {
    assertThat(aspects(b -> {})).isEmpty();
    assertThat(aspects(b -> b.environment.getAsJsonObject("server").addProperty("durability", "")))
        .containsExactly("durability");
    assertThat(aspects(b -> b.run.add("mix", BundleFixture.parse("{'insert':100}"))))
        .containsExactly("mix");
    assertThat(aspects(b -> b.run.getAsJsonObject("workload").addProperty("seed", 2)))
        .containsExactly("seed");
    assertThat(aspects(b -> b.environment.add("data", BundleFixture.parse("{'documents':5}"))))
        .containsExactly("documents");
    assertThat(aspects(b -> b.environment.add("data", BundleFixture.parse("{'tenants':5}"))))
        .containsExactly("data shape");
    assertThat(aspects(b -> b.load().addProperty("workers", 9))).containsExactly("profile");
    assertThat(aspects(b -> b.run.add("schema", BundleFixture.parse("{'index':'hash'}"))))
        .containsExactly("schema");
    assertThat(aspects(b -> b.environment.add("schema", BundleFixture.parse("{'index':'hash'}"))))
        .containsExactly("schema");
    assertThat(aspects(b -> b.environment.add("schema", BundleFixture.parse("{'measured-x':'2'}"))))
        .isEmpty();
    assertThat(aspects(b -> b.environment.add("generator", BundleFixture.parse("{'cpus':4}"))))
        .containsExactly("hardware of the generator");
    assertThat(aspects(b -> b.environment.add("client", BundleFixture.parse("{'fetch':1}"))))
        .containsExactly("client settings");
    assertThat(aspects(b -> b.environment.addProperty("shardload_version", "9")))
        .containsExactly("shardload version");
    ExampleComparison.Change watched =
        b -> {
          b.run.add("metrics", BundleFixture.parse("{'listen':'0.0.0.0','port':9464}"));
          b.run.addProperty("host_metrics", "off");
          b.run.add("server_hosts", BundleFixture.list("{'host':'a'}"));
        };
    assertThat(aspects(watched)).isEmpty();
  }

  /**
   * The same machines as on the other side, only three of them. Mutations: not comparable; the
   * controller's machine.
   */
  @Test
  void saysThatTheLoadCameFromMoreHosts() throws IOException {
    ExampleComparison.Change three =
        b -> {
          b.hosts("a:1099", "b:1099", "c:1099");
          b.environment.add("generator", BundleFixture.parse("{'cpus':4,'jmeter':'5.6.3'}"));
          b.facts(0).addProperty("pid", 17);
        };
    plain = example.run("a", 2, 0, b -> b.hosts("a:1099"));
    assertThat(lines(three))
        .filteredOn(line -> line.contains("generators"))
        .singleElement()
        .asString()
        .endsWith("the number of generators differs: A 1, B 3");
    assertThat(aspects(three)).isEmpty();
    ExampleComparison.Change larger =
        b -> {
          three.apply(b);
          b.facts(2).addProperty("cpus", 8);
        };
    assertThat(aspects(larger)).containsExactly("hardware of the generator");
    assertThat(lines(larger))
        .filteredOn(line -> line.contains("hardware of the generator"))
        .singleElement()
        .asString()
        .contains("cpus 2 or 8");
  }

  /** Another count at the end means other data, but in a closed model it is what was measured. */
  @Test
  void comparesRowCountsAtStartAndEnd() throws IOException {
    assertThat(aspects(b -> b.environment.addProperty("rows_at_start", 99_999)))
        .containsExactly("rows at start");
    assertThat(aspects(b -> b.verification.addProperty("walked", 101)))
        .containsExactly("rows at end");
    assertThat(aspects(b -> b.verification.addProperty("verdict", "not run")))
        .containsExactly("rows at end");
    // Rows that were read by key are not all that are there.
    plain = example.run("a", 2, 0, b -> b.verification.addProperty("mode", "written"));
    assertThat(
            aspects(
                b -> {
                  b.verification.addProperty("mode", "written");
                  b.verification.addProperty("walked", 101);
                }))
        .isEmpty();
    ExampleComparison.Change closed =
        b -> {
          b.load().addProperty("model", "closed");
          b.verification.addProperty("walked", 200 + b.startEpochMillis % 7);
        };
    assertThat(aspects(closed)).containsExactly("rows at end", "load model");
    plain = example.run("a", 2, 0, closed);
    assertThat(aspects(closed)).isEmpty();
    JsonObject run =
        Json.array(ExampleComparison.json(directory), "sides").get(0).getAsJsonObject();
    JsonObject first = Json.array(run, "runs").get(0).getAsJsonObject();
    assertThat(Json.integer(first, "rows_at_start", 0)).isEqualTo(100_000);
    assertThat(Json.integer(first, "rows_at_end", 0)).isBetween(200L, 207L);
  }

  /** A list of settings names those that differ, and no address makes a client differ. */
  @Test
  void saysOnlyWhatDiffers() throws IOException {
    ExampleComparison.Change zero =
        b ->
            b.environment.add("client", BundleFixture.parse("{'fetch':0,'x':{'y':0},'hosts':'a'}"));
    ExampleComparison.Change many =
        b -> b.environment.add("client", BundleFixture.parse("{'fetch':9,'x':{'y':1},'pool':8}"));
    ExampleComparison.Change elsewhere =
        b ->
            b.environment.add("client", BundleFixture.parse("{'fetch':0,'x':{'y':0},'hosts':'b'}"));
    plain = example.run("a", 2, 0, zero);
    assertThat(lines(many))
        .contains(
            "NOT COMPARABLE  client settings: the clients work differently:"
                + " A fetch 0, x.y 0; B fetch 9, x.y 1");
    assertThat(aspects(elsewhere)).isEmpty();
    plain = example.run("a", 2, 0);
    assertThat(aspects(b -> b.segment("rest", "hold", 5, 10))).containsExactly("profile");
    assertThat(lines(b -> b.segment("rest", "hold", 5, 10)))
        .anyMatch(line -> line.endsWith("A rest -; B rest 5.0 s at 10.0/s"));
  }

  /** 18 of 1 816 arrivals began late, and with two slow calls they are the ones above p99. */
  @Test
  void saysThatAPauseOfTheGeneratorDecidesAPercentile() throws IOException {
    long pauseNanos = 200_000_000;
    ExampleComparison.Change paused =
        b ->
            b.generator(0)
                .done(0, "hold", "insert", 1516)
                .own(0, "hold", "late", pauseNanos, 18)
                .latency(0, "hold", "insert", "response", pauseNanos, 20)
                .latency(0, "hold", "insert", "response", 2_000_000, 1496)
                .latency(0, "hold", "insert", "service", pauseNanos, 2)
                .latency(0, "hold", "insert", "service", 2_000_000, 1514);
    assertThat(lines(paused))
        .filteredOn(line -> line.contains("generator's own delays"))
        .singleElement()
        .asString()
        .contains("B: the generator's own delays decide the p99 of the response time", "run-2");
    assertThat(lines(b -> {})).noneMatch(line -> line.contains("generator's own delays"));
  }

  @Test
  void saysLoudlyWhatEachSideHas() throws IOException {
    assertThat(lines(b -> b.environment.getAsJsonObject("server").addProperty("durability", "off")))
        .contains(
            "NOT COMPARABLE  durability: an acknowledged write is not equally durable:"
                + " A fsync=on; B off");
  }

  @Test
  void saysWhatWasVariedOnPurpose() throws IOException {
    ExampleComparison.Change hash =
        b -> b.run.add("schema", BundleFixture.parse("{'index':'hash'}"));
    assertThat(lines(hash, "schema.index"))
        .anyMatch(line -> line.startsWith("VARIED  schema: "))
        .noneMatch(line -> line.startsWith("NOT COMPARABLE"));
    assertThat(lines(hash, "workload.seed"))
        .anyMatch(line -> line.startsWith("NOT COMPARABLE  schema: "))
        .noneMatch(line -> line.startsWith("VARIED"));
  }

  /**
   * A built-in workload has no folder, so nothing is said of it. Mutation: no member without one.
   */
  @Test
  void saysThatFilesOfWorkloadFoldersDiffer() throws IOException {
    assertThat(aspects(folder("abcd".repeat(16), "zipfian")))
        .containsExactly("statements", "parameters");
    plain = example.run("a", 2, 0, folder("1234".repeat(16), "uniform"));
    assertThat(aspects(folder("1234".repeat(16), "uniform"))).isEmpty();
    assertThat(lines(folder("abcd".repeat(16), "uniform")))
        .contains(
            "NOT COMPARABLE  statements: a file of the workload folder differs:"
                + " A hash 1234123412341234; B hash abcdabcdabcdabcd");
    assertThat(aspects(folder("1234".repeat(16), "zipfian"))).containsExactly("parameters");
    assertThat(lines(folder("1234".repeat(16), "zipfian"), "workload.parameters.key.distribution"))
        .anyMatch(line -> line.startsWith("VARIED  parameters: "))
        .noneMatch(line -> line.startsWith("NOT COMPARABLE"));
  }

  private static ExampleComparison.Change folder(String hash, String distribution) {
    return bundle -> {
      JsonObject workload = bundle.run.getAsJsonObject("workload");
      workload.addProperty("hash", hash);
      String parameters = "{'key':{'distribution':'%s'}}".formatted(distribution);
      workload.add("parameters", BundleFixture.parse(parameters));
    };
  }

  /** Other documents of the same shape, compressed a little better, and other draws of the mix. */
  @Test
  void anotherSeedOnPurposeIsOnlyThat() throws IOException {
    plain = example.run("a", 2, 0, seed(1, 1.91));
    assertThat(lines(seed(2, 1.93), "workload.seed"))
        .filteredOn(line -> line.matches("[A-Z ]+  .*"))
        .noneMatch(line -> line.startsWith("NOT COMPARABLE"))
        .filteredOn(line -> line.startsWith("VARIED"))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("VARIED  seed: "),
            line -> assertThat(line).startsWith("VARIED  rows at end: "));
  }

  private static ExampleComparison.Change seed(int seed, double ratio) {
    return bundle -> {
      bundle.run.getAsJsonObject("workload").addProperty("seed", seed);
      String data = "{'tenants':5,'seed':'%d','measured_compression_ratio':%s}";
      bundle.environment.add("data", BundleFixture.parse(data.formatted(seed, ratio)));
      bundle.verification.addProperty("walked", 100 + seed);
    };
  }

  @Test
  void warnsOfNoDatabaseSharedMachinesAndOtherProtocols() throws IOException {
    plain =
        example.run(
            "a",
            2,
            0,
            b -> {
              b.environment.getAsJsonObject("target").addProperty("shares_machine", true);
              b.environment.getAsJsonObject("target").addProperty("fake", "in memory");
            });
    assertThat(
            lines(
                b -> {
                  b.run.getAsJsonObject("target").addProperty("driver", "other");
                  b.environment.getAsJsonObject("target").addProperty("keeps_data", false);
                }))
        .filteredOn(line -> line.startsWith("NOTE"))
        .satisfiesExactly(
            line -> assertThat(line).startsWith("NOTE  no database"),
            line -> assertThat(line).startsWith("NOTE  the server is an in-memory fake"),
            line -> assertThat(line).contains("shares the generator's machine"),
            line -> assertThat(line).contains("only service and response"));
    plain = example.run("a", 2, 0);
    assertThat(lines(b -> {})).noneMatch(line -> line.startsWith("NOTE"));
  }

  @Test
  void aRunThatAnsweredWronglyIsNamed() throws IOException {
    assertThat(
            lines(
                b ->
                    b.verification =
                        BundleFixture.parse("{'verdict':'wrong','counts':{'lost':1}}")))
        .anyMatch(line -> line.startsWith("NOTE  B: run-2 has wrong answers or wrong documents"));
  }
}
