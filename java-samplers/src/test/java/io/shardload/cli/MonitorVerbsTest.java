package io.shardload.cli;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.embedded.EmbeddedPostgres;
import io.shardload.embedded.PostgresSettings;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class MonitorVerbsTest {
  private static final String NOOP = "{'driver': 'noop', 'options': {}}";

  private final BlockingQueue<String> notes = new LinkedBlockingQueue<>();
  @TempDir private Path directory;

  private static JsonObject request(String target, Path data, int port) {
    JsonObject request =
        BundleFixture.parse(
            """
            {'host': '127.0.0.1', 'port': %d,
             'config': {'run': {'id': 'metrics'}, 'target': %s,
              'workload': {'name': 'document-store', 'seed': 1, 'data': {}},
              'mix': {'find-by-id-and-filter1': 100},
              'load': {'model': 'closed', 'workers': 1, 'generator': 0, 'generators': 1,
                       'segments': [{'name': 'hold', 'kind': 'hold', 'seconds': 1,
                                     'from_workers': 1, 'to_workers': 1}]}}}
            """
                .formatted(port, target));
    request.addProperty("data_directory", data.toString());
    return request;
  }

  private Listener listener() {
    return new Listener() {
      @Override
      public void step(String what, long done, long total, String unit) {}

      @Override
      public void note(String text) {
        notes.add(text);
      }
    };
  }

  private JsonObject ask(MonitorVerbs verbs, String verb, String target) {
    return verbs.run(verb, request(target, directory, 0), listener());
  }

  /** Takes the first line and returns the address in it. */
  private String served(CompletableFuture<JsonObject> verb, String form) throws Exception {
    String line = null;
    while ((line = notes.poll(100, TimeUnit.MILLISECONDS)) == null) {
      assertThat(verb.isDone() ? verb.get() : null).as("the verb ended").isNull();
    }
    assertThat(line).matches(form);
    return line.split(" ", -1)[1];
  }

  private static String page(String url) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
        .body();
  }

  @Test
  void aTargetIsServedUntilTheConversationEnds() throws Exception {
    Database database = TestDatabases.fresh();
    String target = Asked.target(database, ", 'name': 'mine'");
    MonitorVerbs verbs = new MonitorVerbs();
    CompletableFuture<JsonObject> ended =
        CompletableFuture.supplyAsync(() -> ask(verbs, "server-metrics", target));
    String url =
        served(ended, "serving http://127\\.0\\.0\\.1:\\d+/metrics for mine \\(1 server\\)");
    assertThat(page(url))
        .containsPattern(
            "shardload_server_up\\{role=\"primary\",server=\"127.0.0.1:%d\",target=\"mine\"\\} +1\n"
                .formatted(database.server().port()))
        .contains("shardload_postgresql_transactions_total{result=\"commit\",");
    assertThat(notes).isEmpty();
    assertThat(ended).isNotDone();

    verbs.close();
    ended.get();
    assertThatThrownBy(() -> page(url)).isInstanceOf(ConnectException.class);
  }

  @Test
  void theEmbeddedServerIsWaitedForAndFollowed() throws Exception {
    String target =
        "{'driver': 'postgresql', 'name': 'tried', 'embedded': 'postgresql', 'options': {}}";
    MonitorVerbs verbs = new MonitorVerbs();
    CompletableFuture<JsonObject> ended =
        CompletableFuture.supplyAsync(() -> ask(verbs, "server-metrics", target));
    String url = served(ended, "serving http://.* for tried \\(no server yet\\)");
    assertThat(notes.take())
        .isEqualTo(
            "warning: not reported: server connection: the embedded server is not running;"
                + " \"shardload run\" or \"shardload load\" starts it");
    try (EmbeddedPostgres server =
        EmbeddedPostgres.start(
            directory, Path.of("target", "embedded"), PostgresSettings.durable())) {
      Pattern up = Pattern.compile("127.0.0.1:" + server.port() + "\",target=\"tried\"\\} +1\n");
      while (!up.matcher(page(url)).find()) {
        Thread.sleep(50);
      }
      assertThat(notes.take()).isEqualTo("reported again: server connection");
    }
    verbs.close();
    ended.get();
  }

  @Test
  void wrongUseIsRefused() throws Exception {
    String target = Asked.target(TestDatabases.fresh(), "");
    try (MonitorVerbs verbs = new MonitorVerbs();
        ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      JsonObject request = request(target, directory, other.getLocalPort());
      assertThat(refusalOf(() -> verbs.run("server-metrics", request, listener())))
          .hasMessage("--listen: port %d is in use".formatted(other.getLocalPort()));
      request.addProperty("host", "192.0.2.1");
      assertThatThrownBy(() -> verbs.run("server-metrics", request, listener()))
          .hasMessageStartingWith("--listen: 192.0.2.1 is not an address of this machine");
    }
    refused(NOOP, "target.driver", "noop has no server to monitor");
    refused(
        "{'driver': 'mongodb', 'embedded': 'mongodb', 'options': {}}",
        "target.embedded",
        "runs inside the load test's own process: there is no server to monitor");
    refused(
        "{'driver': 'postgresql', 'url': 'postgresql://127.0.0.1:1/x', 'user': 'u', 'options': {}}",
        "target.url",
        "cannot connect to 127.0.0.1:1: ");
    assertThat(notes).isEmpty();
  }

  private void refused(String target, String key, String message) {
    try (MonitorVerbs verbs = new MonitorVerbs()) {
      ConfigException e = refusalOf(() -> ask(verbs, "server-metrics", target));
      assertThat(e.key()).isEqualTo(key);
      assertThat(e).hasMessageContaining(message);
    }
  }

  @Test
  void hostsHaveRoles() {
    Database database = TestDatabases.fresh();
    try (MonitorVerbs verbs = new MonitorVerbs()) {
      assertThat(ask(verbs, "server-hosts", Asked.target(database, "")))
          .isEqualTo(
              BundleFixture.parse(
                  "{'hosts': [{'host': '127.0.0.1', 'port': %d, 'role': 'primary'}]}"
                      .formatted(database.server().port())));
      String embedded = "{'driver': 'postgresql', 'embedded': 'postgresql', 'options': {}}";
      for (String none : new String[] {NOOP, embedded}) {
        assertThat(ask(verbs, "server-hosts", none))
            .isEqualTo(BundleFixture.parse("{'hosts': []}"));
      }
    }
  }
}
