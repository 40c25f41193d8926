package io.shardload.cli;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import io.shardload.config.Secrets;
import io.shardload.dataset.StateChunks;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.keys.State;
import io.shardload.keys.States;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How much data was asked for becomes a number of documents once, and is what lies on the server.
 */
class DataSizeTest {
  private static final String NOOP = "{'driver': 'noop', 'options': {}%s}";

  @TempDir private Path directory;

  /** Sizes are drawn: of 5000 documents the sum strays by 1 % (one standard deviation). */
  private static final Percentage DRAWN = Percentage.withPercentage(4);

  @Test
  void theBytesAskedForLieOnTheServer() throws Exception {
    Database database = TestDatabases.fresh();
    String data = "{'dataset-size': '10MiB', 'document-size': '3000B'}";
    try (Asked child = Asked.of(database, data, directory)) {
      JsonObject workload = child.settleSize();
      // 10 * 1024 * 1024 / 3000 = 3495.25
      assertThat(workload.getAsJsonObject("data"))
          .isEqualTo(BundleFixture.parse("{'document-size': '3000B', 'documents': 3496}"));
      child.ask("schema");
      child.ask("load");
      child.ask("begin");
    }
    assertThat(database.ask("SELECT count(*), sum(octet_length(document)) FROM data_table"))
        .containsExactly("3496 10488000");
    assertThat(database.ask("SELECT documents FROM shardload_header")).containsExactly("3496");
    JsonObject environment = environment();
    assertThat(environment.getAsJsonObject("data").get("documents").getAsString())
        .isEqualTo("3496");
    assertThat(environment.getAsJsonObject("data").getAsJsonObject("size"))
        .isEqualTo(
            BundleFixture.parse(
                "{'asked': 'dataset-size: 10MiB', 'bytes_per_document': 3000, 'documents': 3496,"
                    + " 'bytes': 10488000}"));
  }

  /** Of four documents a run deleted one, and it inserted two. Turned red by the load's number. */
  @Test
  void theLoadReportsWhatTheTableHasNow() throws Exception {
    Database database = TestDatabases.fresh();
    String data = "{'documents': 4, 'document-size': '40B'}";
    try (Asked child = Asked.of(database, data, directory)) {
      child.ask("schema");
      assertThat(child.ask("load").get("live").getAsLong()).isEqualTo(4);
    }
    try (Target target = database.open("{}")) {
      var store = target.dataSets();
      Header before = store.header().orElseThrow();
      States states = new States();
      states.grow(6);
      for (long ordinal = 0; ordinal < 6; ordinal++) {
        states.set(ordinal, ordinal == 1 ? State.of(State.DELETED, 0) : State.live(0));
      }
      Header settled = before.settled(6);
      StateChunks.write(store, settled.generation(), states, 6);
      assertThat(store.replace(before, settled)).isTrue();
    }
    try (Asked child = Asked.of(database, data, directory)) {
      child.ask("schema");
      JsonObject done = child.ask("load");
      assertThat(done.get("loaded").getAsLong()).isZero();
      assertThat(done.get("documents").getAsLong()).isEqualTo(4);
      assertThat(done.get("live").getAsLong()).isEqualTo(5);
    }
  }

  @Test
  void variableSizesComeToTheirMean() throws Exception {
    Database database = TestDatabases.fresh();
    String data = "{'dataset-size': '37.5MiB', 'document-size': 'variable'}";
    try (Asked child = Asked.of(database, data, directory)) {
      JsonObject workload = child.settleSize();
      // (2 + 4 + 8 + 16) KiB / 4 = 7680 B
      assertThat(workload.getAsJsonObject("data").get("documents").getAsLong()).isEqualTo(5120);
      child.ask("schema");
      child.ask("load");
    }
    String bytes = database.ask("SELECT sum(octet_length(document)) FROM data_table").get(0);
    assertThat(Double.parseDouble(bytes)).isCloseTo(37.5 * 1024 * 1024, DRAWN);
  }

  @Test
  void aStoppedLoadIsTakenUpWithTheSameNumber() throws Exception {
    Database database = TestDatabases.fresh();
    String target = Asked.target(database, ", 'server-ram': '1MiB'");
    String data = "{'ratio-to-ram': 0.5, 'document-size': '1KiB'}";
    try (Asked child = new Asked(target, data, directory)) {
      child.settleSize();
      child.ask("schema");
    }
    assertThat(database.ask("SELECT documents, loaded FROM shardload_header"))
        .containsExactly("512 0");
    try (Asked child = new Asked(target, data, directory)) {
      child.settleSize();
      child.ask("schema");
      assertThat(child.ask("load").get("loaded").getAsLong()).isEqualTo(512);
    }
    // Another ratio is other data.
    try (Asked child = new Asked(target, data.replace("0.5", "0.6"), directory)) {
      child.settleSize();
      ConfigException e = refusalOf(() -> child.ask("schema"));
      assertThat(e.key()).isEqualTo("workload.data.documents");
      assertThat(e).hasMessageContaining("documents 512, not 615");
    }
  }

  @Test
  void theRatioTakesTheRamThatIsGiven() throws Exception {
    String target = NOOP.formatted(", 'server-ram': '16GiB'");
    try (Asked child = new Asked(target, "{'ratio-to-ram': 2.6}", directory)) {
      child.ask("check");
      assertThat(child.settleSize().getAsJsonObject("size"))
          .isEqualTo(
              BundleFixture.parse(
                  "{'asked': 'ratio-to-ram: 2.6', 'server_ram_bytes': 17179869184,"
                      + " 'server_ram': 'given', 'bytes_per_document': 2048,"
                      + " 'documents': 21810381, 'bytes': 44667660288}"));
    }
  }

  @Test
  void otherwiseTheServerIsAsked() throws Exception {
    Database database = TestDatabases.fresh();
    try (Asked child = Asked.of(database, "{'ratio-to-ram': 0.5}", directory)) {
      child.ask("check");
      JsonObject size = child.settleSize().getAsJsonObject("size");
      assertThat(size.get("server_ram").getAsString()).isEqualTo("reported by the server");
      assertThat(size.get("server_ram_bytes").getAsLong()).isEqualTo(ramOfThisMachine());
      assertThat(size.get("documents").getAsDouble())
          .isCloseTo(ramOfThisMachine() / 4096.0, within(1.0));
    }
  }

  /** What the server, which shares this machine, may use. */
  private static long ramOfThisMachine() throws Exception {
    String total = Files.readAllLines(Path.of("/proc/meminfo")).get(0);
    long bytes = Long.parseLong(total.replaceAll("\\D", "")) * 1024;
    Path limit = Path.of("/sys/fs/cgroup/memory.max");
    if (Files.exists(limit) && !Files.readString(limit).startsWith("max")) {
      bytes = Math.min(bytes, Long.parseLong(Files.readString(limit).strip()));
    }
    return bytes;
  }

  @Test
  void aServerThatDoesNotTellThisUserIsOneClearLine() throws Exception {
    Database database = TestDatabases.fresh();
    database.execute("DROP ROLE IF EXISTS curious");
    database.execute("CREATE ROLE curious LOGIN PASSWORD 'any'");
    Secrets.provide("SHARDLOAD_TEST_CURIOUS", "any");
    String target =
        "{'driver': 'postgresql', 'url': '%s', 'user': 'curious', 'options': {}, %s}"
            .formatted(database.url(), "'password-env': 'SHARDLOAD_TEST_CURIOUS'");
    try (Asked child = new Asked(target, "{'ratio-to-ram': 2}", directory)) {
      child.ask("check");
      ConfigException e = refusalOf(child::settleSize);
      assertThat(e.key()).isEqualTo("target.server-ram");
      assertThat(e).hasMessageContaining("set it, such as 16GiB");
    }
    assertThat(database.ask("SELECT 1 WHERE to_regclass('data_table') IS NOT NULL")).isEmpty();
  }

  @Test
  void whatCannotBeAskedIsOneClearLine() throws Exception {
    try (Asked child = new Asked(NOOP.formatted(""), "{'ratio-to-ram': 2}", directory)) {
      assertThat(refusalOf(child::settleSize))
          .hasMessageStartingWith("is missing: workload.data.ratio-to-ram needs the servers' RAM");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "{'dataset-size': '0GiB'} | workload.data.dataset-size | must be more than 0",
        "{'dataset-size': '-1GiB'} | workload.data.dataset-size | is not a size",
        "{'dataset-size': 20} | workload.data.dataset-size | '20' is not a size such as",
        "{'dataset-size': '20TiB'} | workload.data.dataset-size"
            + " | 20TiB means 10737418240 documents of 2048 bytes; at most 2147483648 are possible",
        "{'ratio-to-ram': 0} | workload.data.ratio-to-ram | 0.0 is outside 0.001 to 1000.0",
        "{'ratio-to-ram': -2} | workload.data.ratio-to-ram | -2.0 is outside",
        "{'ratio-to-ram': 'big'} | workload.data.ratio-to-ram | is not a number: 'big'",
        "{'documents': 5, 'ratio-to-ram': 1} | workload.data.ratio-to-ram"
            + " | conflicts with documents: set only one of the two",
        "{'dataset-size': '1GiB', 'ratio-to-ram': 1} | workload.data.ratio-to-ram"
            + " | conflicts with dataset-size",
        "{'dataset-size': '8KiB', 'tenants': 5} | workload.data.tenants | 5 is outside 1 to 4"
      })
  void badSizesAreRefusedByTheCheck(String data, String key, String message) {
    try (Asked child = new Asked(NOOP.formatted(""), data, directory)) {
      ConfigException e = refusalOf(() -> child.ask("check"));
      assertThat(e.key()).isEqualTo(key);
      assertThat(e).hasMessageContaining(message);
    }
  }

  /** Nothing but the verb {@code size} may guess: a run without it is refused. */
  @Test
  void anUnsettledSizeIsNeverLoaded() {
    try (Asked child = new Asked(NOOP.formatted(""), "{'dataset-size': '1GiB'}", directory)) {
      assertThat(refusalOf(() -> child.ask("schema")).key())
          .isEqualTo("workload.data.dataset-size");
    }
  }

  private JsonObject environment() throws Exception {
    String text = Files.readString(directory.resolve("environment.json"));
    return JsonParser.parseString(text).getAsJsonObject();
  }
}
