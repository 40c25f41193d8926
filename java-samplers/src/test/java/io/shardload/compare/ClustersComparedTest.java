package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said aloud of clusters that are not alike, or that do not say whether they are. */
class ClustersComparedTest {
  private static final String TOPOLOGY = "topology: the number of servers differs: ";
  private static final String SHARES =
      "shares machine: a server that competes with a generator for its cores is slower: ";
  private static final String HARDWARE =
      "hardware of the servers: the hardware changes the times: ";
  private static final String HOTTEST =
      "hottest shard: random placement: the share of the fullest or busiest shard, in multiples of"
          + " the mean: ";

  @TempDir Path directory;
  private ExampleComparison example;

  private static final String SETTINGS = "server settings: the same server behaves differently: ";

  private Path plain;

  @BeforeEach
  void example() {
    example = new ExampleComparison(directory.resolve("runs"), 11, 1);
  }

  /** The lines on what is not comparable, without their mark; each run with its change. */
  private List<String> told(ExampleComparison.Change a, ExampleComparison.Change b)
      throws IOException {
    List<Path> bundles = List.of(example.run("a", 2, 0, a), example.run("b", 2, 0, b));
    return told(bundles);
  }

  private static ExampleComparison.Change server(String json) {
    return bundle ->
        BundleFixture.parse(json)
            .asMap()
            .forEach(bundle.environment.getAsJsonObject("server")::add);
  }

  private static ExampleComparison.Change target(String json) {
    return bundle ->
        BundleFixture.parse(json)
            .asMap()
            .forEach(bundle.environment.getAsJsonObject("target")::add);
  }

  private static ExampleComparison.Change both(
      ExampleComparison.Change one, ExampleComparison.Change other) {
    return bundle -> {
      one.apply(bundle);
      other.apply(bundle);
    };
  }

  private static ExampleComparison.Change without(String... keys) {
    return bundle -> List.of(keys).forEach(bundle.environment.getAsJsonObject("server")::remove);
  }

  private static ExampleComparison.Change cluster(int shards, int members, int routers) {
    return server(
        "{'topology':{'shards':%d,'members':%d,'routers':%d}}".formatted(shards, members, routers));
  }

  /** Shares of documents, and of operations, by shard. */
  private static ExampleComparison.Change placed(double documents, double operations) {
    String shard = "{'shard':'%s','documents_share':%s,'operations_share':%s}";
    return both(
        cluster(2, 2, 1),
        server(
            "{'placement':[%s,%s]}"
                .formatted(
                    shard.formatted("a", documents, operations),
                    shard.formatted("b", 1 - documents, 1 - operations))));
  }

  @Test
  void clustersOfAnotherSizeAreNotComparable() throws IOException {
    assertThat(told(cluster(1, 1, 0), cluster(1, 3, 0)))
        .containsExactly(
            TOPOLOGY + "A shards 1, members 1, routers 0; B shards 1, members 3, routers 0");
    assertThat(told(placed(0.5, 0.5), both(placed(0.5, 0.5), cluster(2, 6, 2))))
        .containsExactly(
            TOPOLOGY + "A shards 2, members 2, routers 1; B shards 2, members 6, routers 2");
  }

  /** Two routers that hide what is behind them are not alike by that. */
  @Test
  void whatBothSidesHideIsNotAlike() throws IOException {
    ExampleComparison.Change hidden = without("topology", "machines");
    assertThat(told(hidden, hidden))
        .containsExactly(
            TOPOLOGY + "A not known; B not known",
            HOTTEST
                + "A documents not known, operations not known;"
                + " B documents not known, operations not known",
            HARDWARE + "A not known; B not known");
    ExampleComparison.Change oneHides =
        server(
            "{'machines':[{'host':'a','holds_documents':true,'cpu':'X','cpus':2},"
                + "{'host':'b','holds_documents':true}]}");
    assertThat(told(oneHides, oneHides))
        .containsExactly(HARDWARE + "A X, 2 CPUs + not known; B X, 2 CPUs + not known");
    ExampleComparison.Change oldBundle =
        bundle -> bundle.environment.getAsJsonObject("target").remove("shares_machine");
    assertThat(told(oldBundle, oldBundle)).containsExactly(SHARES + "A not known; B not known");
  }

  /** One server beside the generator has its hardware; of an embedded one all is known. */
  @Test
  void aSingleServerBesideTheGeneratorIsKnown() throws IOException {
    ExampleComparison.Change local = both(without("machines"), target("{'shares_machine':true}"));
    assertThat(told(local, local)).isEmpty();
    ExampleComparison.Change embedded =
        both(without("topology", "machines"), target("{'shares_machine':true,'embedded':true}"));
    assertThat(told(embedded, embedded)).isEmpty();
    assertThat(told(embedded, both(embedded, cluster(1, 1, 0)))).isEmpty();
    ExampleComparison.Change three = both(local, cluster(1, 3, 0));
    assertThat(told(three, three)).containsExactly(HARDWARE + "A not known; B not known");
  }

  @Test
  void localAgainstRemoteIsNotComparable() throws IOException {
    ExampleComparison.Change local = target("{'shares_machine':true}");
    assertThat(told(local, bundle -> {})).containsExactly(SHARES + "A yes; B no");
    assertThat(told(local, local)).isEmpty();
    ExampleComparison.Change onOneHost =
        bundle -> {
          bundle.hosts("a:1099", "b:1099");
          bundle.facts(1).addProperty("shares_machine", true);
        };
    assertThat(told(bundle -> bundle.hosts("a:1099", "b:1099"), onOneHost))
        .containsExactly(SHARES + "A no; B yes");
  }

  /** By more than a tenth of the mean: 0.55 and 0.6 of two shards are 1.1 and 1.2. */
  @Test
  void luckOfPlacementIsNotComparable() throws IOException {
    assertThat(told(placed(0.55, 0.5), placed(0.4, 0.5))).isEmpty();
    assertThat(told(placed(0.55, 0.5), placed(0.605, 0.5)))
        .containsExactly(HOTTEST + "A documents 1.10; B documents 1.21");
    assertThat(told(placed(0.5, 0.55), placed(0.5, 0.9)))
        .containsExactly(HOTTEST + "A operations 1.10; B operations 1.80");
    assertThat(told(cluster(3, 3, 1), cluster(3, 3, 1)))
        .containsExactly(
            HOTTEST
                + "A documents not known, operations not known;"
                + " B documents not known, operations not known");
  }

  /** The harness alone has neither servers nor hardware, and lacks none. */
  @Test
  void aRunWithoutADatabaseLacksNothing() throws IOException {
    ExampleComparison.Change noop =
        both(without("topology", "machines"), target("{'keeps_data':false}"));
    assertThat(told(noop, noop)).isEmpty();
    assertThat(told(noop, bundle -> {})).isEmpty();
  }

  /** Where the documents came to lie does not make a run one of another configuration. */
  @Test
  void runsOfOneTargetStayOneSideWhereverTheirDocumentsLie() throws IOException {
    List<Path> bundles =
        List.of(
            example.run("a", 2, 0, placed(0.5, 0.5)),
            example.run("b", 2, 0, placed(0.5, 0.5)),
            example.run("b", 2, 0, both(placed(0.51, 0.5), server("{'moves':[]}"))),
            example.run("a", 2, 0, placed(0.52, 0.5)));
    CompareVerb.run(ExampleComparison.request(directory, bundles));
    JsonObject json = ExampleComparison.json(directory);
    assertThat(json.getAsJsonArray("sides")).hasSize(2);
  }

  /** The lines on what is not comparable, without their mark. */
  private List<String> told(ExampleComparison.Change change) throws IOException {
    if (plain == null) {
      plain = example.run("a", 2, 0);
    }
    return told(List.of(plain, example.run("b", 2, 0, change)));
  }

  private List<String> told(List<Path> bundles) throws IOException {
    return ExampleComparison.loud(ExampleComparison.request(directory, bundles));
  }

  // What is said aloud of servers that are not alike: their settings and their hardware.

  /** Settings of the same product; of two products no setting is the same. */
  @Test
  void comparesServersOfOneProduct() throws IOException {
    plain = example.run("a", 2, 0, server("S", "1", "{'cache':'1GB','jit':'on','old':1}"));
    assertThat(told(server("S", "1", "{'cache':'9GB','jit':'on'}")))
        .containsExactly(SETTINGS + "A S.cache 1GB; B S.cache 9GB");
    assertThat(told(server("S", "2", "{'cache':'1GB'}")))
        .containsExactly(SETTINGS + "A S.version 1; B S.version 2");
    assertThat(told(server("T", "1", "{'cache':'9GB','jit':'on'}"))).isEmpty();
  }

  /** A third product does not hide in what the other two differ. */
  @Test
  void comparesThoseOfOneProductAmongOthers() throws IOException {
    Path small = example.run("a", 2, 0, server("S", "1", "{'cache':'1GB'}"));
    Path large = example.run("b", 2, 0, server("S", "1", "{'cache':'9GB'}"));
    Path another = example.run("c", 2, 0, server("T", "1", "{'cache':'5GB'}"));
    assertThat(told(List.of(small, large, another)))
        .containsExactly(SETTINGS + "A S.cache 1GB; B S.cache 9GB; C S.cache -");
  }

  /** What one changed and the other left at its default; the port is no setting of that kind. */
  @Test
  void comparesWhatServersOfOneProductHaveChanged() throws IOException {
    plain = example.run("a", 2, 0, changed("S", "{'limit':'9','port':'1'}"));
    assertThat(told(changed("S", "{'limit':'9','port':'2'}"))).isEmpty();
    assertThat(told(changed("S", "{'limit':'9','scans':'off','sleep':'1d'}")))
        .containsExactly(
            SETTINGS
                + "A S.changed.scans -, S.changed.sleep -;"
                + " B S.changed.scans off, S.changed.sleep 1d");
    assertThat(told(changed("S", "{}")))
        .containsExactly(SETTINGS + "A S.changed.limit 9; B S.changed.limit -");
    assertThat(told(changed("T", "{'scans':'off'}"))).isEmpty();
    assertThat(told(server("S", "1", "{}"))).as("it does not tell what was changed").isEmpty();
  }

  @Test
  void aSettingThatIsListedAndChangedIsSaidOnce() throws IOException {
    plain = example.run("a", 2, 0, server("S", "1", "{'cache':'1GB'}", "{}"));
    assertThat(told(server("S", "1", "{'cache':'9GB'}", "{'cache':'9GB'}")))
        .containsExactly(SETTINGS + "A S.cache 1GB; B S.cache 9GB");
  }

  /**
   * Of the machines that hold documents; neither their names nor their kernels make them differ.
   */
  @Test
  void comparesTheHardwareOfTheServers() throws IOException {
    long gib = 1L << 30;
    String small = machine("h1", true, 2, 16 * gib, "6.1");
    String alike = machine("h2", true, 2, 16 * gib - 4096, "6.18");
    String router = machine("h3", false, 64, gib, "6.1");
    plain = example.run("a", 2, 0, machines(small));
    assertThat(told(machines(alike + "," + router))).isEmpty();
    assertThat(told(machines(machine("h1", true, 128, 1024 * gib, "6.1"))))
        .containsExactly(HARDWARE + "A X, 2 CPUs, 16.0 GiB; B X, 128 CPUs, 1.00 TiB");
    assertThat(told(machines(small + "," + alike)))
        .containsExactly(HARDWARE + "A X, 2 CPUs, 16.0 GiB; B 2 of X, 2 CPUs, 16.0 GiB");
    for (String untold : List.of("", machine("h1", true, 0, 0, "").replace("X", ""))) {
      assertThat(told(machines(untold)))
          .containsExactly(HARDWARE + "A X, 2 CPUs, 16.0 GiB; B not known");
    }
  }

  private static String machine(
      String host, boolean holdsDocuments, int cpus, long ramBytes, String kernel) {
    return "{'host':'%s','holds_documents':%s,'cpu':'X','cpus':%d,'ram_bytes':%d,'kernel':'%s'}"
        .formatted(host, holdsDocuments, cpus, ramBytes, kernel);
  }

  private static ExampleComparison.Change machines(String list) {
    return bundle ->
        bundle.environment.getAsJsonObject("server").add("machines", BundleFixture.list(list));
  }

  private static ExampleComparison.Change changed(String name, String changed) {
    return server(name, "1", "{}", changed);
  }

  private static ExampleComparison.Change server(
      String name, String version, String settings, String changed) {
    return bundle -> {
      server(name, version, settings).apply(bundle);
      bundle
          .environment
          .getAsJsonObject("server")
          .add("changed_settings", BundleFixture.parse(changed));
    };
  }

  private static ExampleComparison.Change server(String name, String version, String settings) {
    return bundle -> {
      JsonObject server = bundle.environment.getAsJsonObject("server");
      server.addProperty("name", name);
      server.addProperty("version", version);
      server.add("settings", BundleFixture.parse(settings));
    };
  }
}
