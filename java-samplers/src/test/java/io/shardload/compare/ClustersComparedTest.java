package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
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
  private static final String LOUD = "NOT COMPARABLE  ";
  private static final String TOPOLOGY = "topology: the number of servers differs: ";
  private static final String SHARES =
      "shares machine: a server that competes with a generator for its cores is slower: ";
  private static final String HARDWARE =
      "hardware of the servers: the hardware changes the times: ";
  private static final String HOTTEST =
      "hottest shard: random placement: the share of the fullest or busiest shard, in multiples of the mean: ";

  @TempDir Path directory;
  private ExampleComparison example;

  @BeforeEach
  void example() {
    example = new ExampleComparison(directory.resolve("runs"), 11, 1);
  }

  /** The lines on what is not comparable, without their mark; each run with its change. */
  private List<String> told(ExampleComparison.Change a, ExampleComparison.Change b)
      throws IOException {
    List<Path> bundles = List.of(example.run("a", 2, 0, a), example.run("b", 2, 0, b));
    return CompareVerb.run(ExampleComparison.request(directory, bundles))
        .getAsJsonArray("lines")
        .asList()
        .stream()
        .map(JsonElement::getAsString)
        .filter(line -> line.startsWith(LOUD))
        .map(line -> line.substring(LOUD.length()))
        .toList();
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
}
