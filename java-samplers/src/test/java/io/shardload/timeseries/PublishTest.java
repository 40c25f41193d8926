package io.shardload.timeseries;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.BundleLayout;
import io.shardload.workload.Progress;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublishTest {
  private static final String MATCHERS = "run_id=\"20260921-000000-t-smoke\",source=\"bundle\"";

  @TempDir Path folder;
  private Path bundle;

  /** A VictoriaMetrics as far as one run needs it: it knows numbers of samples, and one sum. */
  private static final class Store implements FakeStore.Handler {
    private final List<String> asked = new ArrayList<>();
    private long samples;
    private double started;

    /** How many deletions miss what is there. */
    private int blind;

    /** Whether imported samples are dropped as too old. */
    private boolean forgets;

    /** The latest timestamp of what was imported, and what the questions for it were. */
    private long latestMillis;

    private final List<String> questions = new ArrayList<>();

    @Override
    public synchronized void handle(HttpExchange exchange) throws IOException {
      String path = exchange.getRequestURI().getPath();
      if (path.equals("/api/v1/import")) {
        asked.add("import");
        FakeStore.answer(exchange, 204, "").lines().forEach(line -> take(exchange, line));
        return;
      }
      // The answer depends on the body, which is read before.
      String form =
          URLDecoder.decode(
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8),
              StandardCharsets.UTF_8);
      if (path.endsWith("/delete_series")) {
        asked.add("delete " + form);
        samples = blind-- > 0 ? samples : 0;
        started = samples == 0 ? 0 : started;
        FakeStore.answer(exchange, 204, "");
      } else if (form.startsWith("query=1&") || form.equals("query=1")) {
        FakeStore.answer(exchange, 200, FakeStore.ONE_IN_VICTORIA_METRICS);
      } else {
        asked.add(form.contains("count_over_time") ? "count" : "sum");
        boolean isCount = form.contains("count_over_time");
        if (isCount) {
          questions.add(form.replaceFirst("&time=.*", ""));
        }
        double asked = Double.parseDouble(form.replaceFirst(".*&time=([0-9.]+)&.*", "$1"));
        long after = Math.round(asked * 1000) < latestMillis ? 1 : 0;
        double value = isCount ? samples - after : started - after;
        assertThat(form).contains(MATCHERS).contains("nocache=1");
        FakeStore.answer(
            exchange,
            200,
            "{\"data\":{\"resultType\":\"vector\",\"result\":[{\"value\":[1,\""
                + value
                + "\"]}]}}");
      }
    }

    private void take(HttpExchange exchange, String line) {
      assertThat(exchange.getRequestHeaders().getFirst("Content-Encoding")).isEqualTo("gzip");
      JsonObject series = JsonParser.parseString(line).getAsJsonObject();
      JsonArray values = series.getAsJsonArray("values");
      assertThat(values).hasSameSizeAs(series.getAsJsonArray("timestamps"));
      series
          .getAsJsonArray("timestamps")
          .forEach(each -> latestMillis = Math.max(latestMillis, each.getAsLong()));
      String name = series.getAsJsonObject("metric").get("__name__").getAsString();
      samples += forgets ? 0 : values.size();
      if (name.equals("shardload_arrivals_started_total") && !forgets) {
        started += values.get(values.size() - 1).getAsDouble();
      }
    }
  }

  @BeforeEach
  void write() throws IOException {
    bundle = SmallRun.write(SmallRun.fixture(folder.resolve("run")));
  }

  private JsonObject publish(FakeStore fake) throws IOException {
    StoreClient client = new StoreClient(fake.url(), Credentials.NONE, Duration.ofSeconds(20));
    return Publish.run(bundle, client, Progress.UNHEARD);
  }

  @Test
  void whatWasImportedBeforeIsDeletedFirst() throws IOException {
    Store store = new Store();
    try (FakeStore fake = new FakeStore(store)) {
      JsonObject first = publish(fake);
      assertThat(first.get("operations").getAsLong()).isEqualTo(9);
      assertThat(first.get("samples").getAsLong()).isEqualTo(store.samples);
      assertThat(publish(fake)).isEqualTo(first);
      String delete = "delete match[]={" + MATCHERS + "}";
      assertThat(store.asked)
          .containsExactly(delete, "import", "count", "sum", delete, "import", "count", "sum");
    }
  }

  /** A deletion right after an import misses what the store has not indexed: seen on 1.79. */
  @Test
  void whatADeletionMissedIsDeletedAgain() throws IOException {
    Store store = new Store();
    try (FakeStore fake = new FakeStore(store)) {
      long samples = publish(fake).get("samples").getAsLong();
      store.blind = 1;
      assertThat(publish(fake).get("samples").getAsLong()).isEqualTo(samples);
      assertThat(store.samples).isEqualTo(samples);
      assertThat(store.asked.stream().filter("import"::equals)).hasSize(3);
      // A store may remember what a selector finds.
      assertThat(store.questions).hasSizeGreaterThan(2).doesNotHaveDuplicates();
    }
  }

  @Test
  void whatIsStillDoubledIsSaid() throws IOException {
    Store store = new Store();
    try (FakeStore fake = new FakeStore(store)) {
      publish(fake);
      store.blind = 9;
      assertThat(refusalOf(() -> publish(fake)))
          .hasMessageMatching(
              "the store shows [\\d,]+ of [\\d,]+ samples and 36 of 9 operations of"
                  + " 20260921-000000-t-smoke; publish the run again");
    }
  }

  /** The fixture's run is of September 2026. */
  @Test
  void aStoreThatKeepsTooLittleIsNamed() throws IOException {
    Store store = new Store();
    store.forgets = true;
    try (FakeStore fake = new FakeStore(store)) {
      assertThat(refusalOf(() -> publish(fake)))
          .hasMessageStartingWith(
              "the store accepted the series of 20260921-000000-t-smoke but shows none of them");
    }
  }

  /** The last calls hung for longer than the 15 s of the controller's series. */
  @Test
  void linesLongAfterTheEndAreCounted() throws IOException {
    BundleFixture run = SmallRun.fixture(folder.resolve("hung"));
    SmallRun.answered(run.generator(0), 30, "hold", 1);
    run.generator(0).endSeconds = 4;
    bundle = SmallRun.write(run);
    Store store = new Store();
    try (FakeStore fake = new FakeStore(store)) {
      assertThat(publish(fake).get("operations").getAsLong()).isEqualTo(10);
      assertThat(store.latestMillis).isEqualTo(BundleFixture.START_EPOCH_MILLIS + 32_000);
    }
  }

  @Test
  void aBundleThatIsNotWholeDeletesNothing() throws IOException {
    Path file = new BundleLayout(bundle).summary();
    Files.writeString(file, Files.readString(file).replace("\"started\": 7", "\"started\": 8"));
    Store store = new Store();
    try (FakeStore fake = new FakeStore(store)) {
      assertThat(refusalOf(() -> publish(fake)))
          .hasMessage(
              "20260921-000000-t-smoke is not complete: its intervals have 9 operations, but its"
                  + " summary.json has 10; if its files were collected since, \"shardload report"
                  + " 20260921-000000-t-smoke\" writes it again");
    }
    assertThat(store.asked).isEmpty();
  }

  @Test
  void aClusterOfVictoriaMetricsIsNamed() throws IOException {
    try (FakeStore fake = FakeStore.answering(200, FakeStore.ONE_IN_VICTORIA_METRICS)) {
      String url = fake.url() + "/select/0/prometheus";
      StoreClient client = new StoreClient(url, Credentials.NONE, Duration.ofSeconds(20));
      assertThat(refusalOf(() -> Publish.run(bundle, client, Progress.UNHEARD)))
          .hasMessage(
              url
                  + " is the query address of a VictoriaMetrics cluster; publish needs a"
                  + " single-node VictoriaMetrics: give its address with --url");
    }
  }

  @Test
  void aPrometheusGetsAnotherWay() throws IOException {
    try (FakeStore fake = FakeStore.answering(200, FakeStore.ONE_IN_PROMETHEUS)) {
      assertThat(refusalOf(() -> publish(fake)))
          .hasMessage(
              fake.url()
                  + " is a Prometheus server, which cannot import over HTTP; use \"shardload export"
                  + " 20260921-000000-t-smoke --format openmetrics\" and \"promtool tsdb"
                  + " create-blocks-from openmetrics 20260921-000000-t-smoke.om DATA\"");
    }
  }
}
