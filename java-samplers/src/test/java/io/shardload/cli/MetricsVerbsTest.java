package io.shardload.cli;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.FaultsFile;
import io.shardload.bundle.FaultsFile.Kind;
import io.shardload.bundle.SessionsFile.Moment;
import io.shardload.bundle.SessionsFile.Server;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MetricsVerbsTest {
  private static final long START = 1_790_000_000_000L;

  @TempDir Path folder;
  @AutoClose private final MetricsVerbs verbs = new MetricsVerbs();

  private JsonObject request(int port, String more) {
    JsonObject request = new JsonObject();
    request.add(
        "config",
        BundleFixture.parse(
            """
            {'run': {'id': 'r1', 'profile': 'smoke'}, 'target': {'name': 'noop'},
             'metrics': {'listen': '127.0.0.1', 'port': %d, 'discovery': '%s'},
             'load': {'segments': [{'name': 'hold', 'kind': 'hold', 'seconds': 1}]}%s}
            """
                .formatted(port, discovery(), more)));
    request.addProperty("listen", "127.0.0.1");
    request.addProperty("directory", folder.toString());
    request.addProperty("linger_seconds", 3600);
    return request;
  }

  private Path discovery() {
    return folder.resolve("metrics");
  }

  private JsonObject at(long epochMillis) {
    JsonObject request = request(0, "");
    request.addProperty("epoch_ms", epochMillis);
    return request;
  }

  @Test
  void aRunIsServedFromItsOpeningToItsVerdict() throws Exception {
    Moment now =
        new Moment(
            System.currentTimeMillis(),
            Map.of("db1:5432", new Server("primary", Map.of(), null, null)),
            Map.of());
    verbs.sessions(now);
    String address = verbs.run("metrics-open", request(0, "")).get("address").getAsString();
    assertThat(announced()).isEqualTo(Map.of("r1-controller.json", address));
    assertThat(page(address))
        .contains("run_info{")
        .contains("run_id=\"r1\"")
        .doesNotContain("timestamp", "run_sessions");
    verbs.sessions(now);
    assertThat(page(address)).contains("shardload_run_sessions{doing=\"lock\"");
    verbs.run("metrics-started", at(START));
    verbs.fault(new FaultsFile.Event(Kind.BEGUN, "kill", START + 1000, 0, ""));
    assertThat(page(address)).contains("shardload_fault_timestamp_seconds{event=\"begun\"");
    verbs.run("metrics-ended", at(START + 1500));
    assertThat(page(address))
        .contains("shardload_segment_start_timestamp_seconds{kind=\"hold\"")
        .contains(" 1790000001.5\n");
    Files.writeString(
        folder.resolve("summary.json"), "{\"verdict\": {\"code\": 3, \"name\": \"missed\"}}");
    Files.writeString(discovery().resolve("r1-generator-0.json"), "[]");
    Thread closing = new Thread(() -> finish());
    closing.start();
    while (closing.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    assertThat(page(address)).contains("exit_code{", "verdict=\"missed\"");
    closing.join();
    assertThatThrownBy(() -> page(address)).isInstanceOf(ConnectException.class);
    assertThat(discovery()).isEmptyDirectory();
  }

  private void finish() {
    try {
      verbs.run("metrics-close", request(0, ""));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatNobodyScrapesEndsAtOnce() throws Exception {
    verbs.run("metrics-open", request(0, ""));
    verbs.run("metrics-close", request(0, ""));
    assertThat(discovery()).isEmptyDirectory();
  }

  @Test
  void loadHostsAreAnnouncedWhereTheyListen() throws Exception {
    String hosts = ", 'hosts': {'list': ['10.9.0.2:1099', 'db3:2099']}";
    verbs.run("metrics-open", request(0, hosts));
    assertThat(announced()).containsOnlyKeys("r1-controller.json");
    verbs.run("metrics-open", request(9464, hosts));
    assertThat(announced())
        .containsOnlyKeys("r1-controller.json", "r1-generator-0.json", "r1-generator-1.json")
        .containsEntry("r1-generator-0.json", "10.9.0.2:9464")
        .containsEntry("r1-generator-1.json", "db3:9464")
        .doesNotContainEntry("r1-controller.json", "127.0.0.1:9464");
    verbs.close();
    assertThat(discovery()).isEmptyDirectory();
  }

  /** What cannot be announced is not served either. */
  @Test
  void aFolderThatCannotBeMadeIsRefused() throws Exception {
    Files.createFile(discovery());
    assertThat(refusalOf(() -> verbs.run("metrics-open", request(0, ""))))
        .hasMessageContaining("cannot write " + discovery());
    verbs.run("metrics-close", request(0, ""));
  }

  /** A child that took the place of a dead one has nothing open. */
  @Test
  void aChildThatOpenedNothingRemovesWhatADeadOneLeft() throws Exception {
    Files.createDirectories(discovery());
    Files.writeString(discovery().resolve("r1-controller.json"), "[]");
    verbs.run("metrics-ended", at(START));
    verbs.run("metrics-close", request(0, ""));
    assertThat(discovery()).isEmptyDirectory();
  }

  private Map<String, String> announced() throws IOException {
    Map<String, String> found = new TreeMap<>();
    try (var files = Files.list(discovery())) {
      for (Path file : files.toList()) {
        JsonObject entry =
            JsonParser.parseString(Files.readString(file))
                .getAsJsonArray()
                .get(0)
                .getAsJsonObject();
        List<String> targets =
            entry.getAsJsonArray("targets").asList().stream()
                .map(one -> one.getAsString())
                .toList();
        found.put(file.getFileName().toString(), String.join(",", targets));
      }
    }
    return found;
  }

  private static String page(String address) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://" + address + "/metrics")).build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }
}
