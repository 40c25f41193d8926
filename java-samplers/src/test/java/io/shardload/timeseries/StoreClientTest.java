package io.shardload.timeseries;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoreClientTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static StoreClient client(FakeStore store) throws StoreException {
    return new StoreClient(store.url(), Credentials.NONE, PATIENCE);
  }

  private static void assertKindFails(FakeStore store, String message) throws IOException {
    StoreClient client = client(store);
    assertThatThrownBy(client::kind)
        .isInstanceOf(StoreException.class)
        .hasMessage(message.formatted(store.url()));
  }

  @Test
  void theTypeOfANumberShowsWhatAnswers() throws IOException {
    try (FakeStore store = FakeStore.answering(200, FakeStore.ONE_IN_PROMETHEUS)) {
      assertThat(client(store).kind()).isEqualTo(StoreClient.StoreKind.PROMETHEUS);
    }
    try (FakeStore store = FakeStore.answering(200, FakeStore.ONE_IN_VICTORIA_METRICS)) {
      assertThat(client(store).kind()).isEqualTo(StoreClient.StoreKind.VICTORIA_METRICS);
    }
  }

  @Test
  void aPrefixOfThePathIsKept() throws IOException {
    try (FakeStore store = FakeStore.answering(200, FakeStore.ONE_IN_PROMETHEUS)) {
      StoreClient client =
          new StoreClient(store.url() + "/select/0/prometheus/", Credentials.NONE, PATIENCE);
      client.kind();
      assertThat(client.url()).isEqualTo(store.url() + "/select/0/prometheus");
      assertThat(store.asked("path")).isEqualTo("/select/0/prometheus/api/v1/query");
    }
  }

  @Test
  void samplesAreThoseOfTheWindow() throws IOException {
    AtomicReference<String> form = new AtomicReference<>();
    try (FakeStore store =
        new FakeStore(exchange -> FakeStore.answer(exchange, 200, FakeStore.SAMPLES, form::set))) {
      List<Series> found = client(store).samples("x{a=\"b\"}", 1795358464.5, 1795358467);
      assertThat(found).hasSize(1);
      assertThat(found.get(0).label(Series.NAME)).isEqualTo("node_cpu_seconds_total");
      assertThat(found.get(0).label("host")).isEqualTo("h1");
      assertThat(found.get(0).label("unknown")).isEmpty();
      assertThat(found.get(0).seconds())
          .containsExactly(1795358464.525, 1795358465.525, 1795358466.525);
      assertThat(found.get(0).values())
          .containsExactly(17874.41, Double.POSITIVE_INFINITY, Double.NaN);
    }
    assertThat(URLDecoder.decode(form.get(), StandardCharsets.UTF_8))
        .isEqualTo("query=x{a=\"b\"}[2501ms]&time=1795358467.000&nocache=1");
  }

  @Test
  void anAnswerWithoutEndIsGivenUp() throws IOException {
    AtomicLong sent = new AtomicLong();
    try (FakeStore store =
        new FakeStore(
            exchange -> {
              exchange.sendResponseHeaders(200, 0);
              byte[] part = new byte[1 << 20];
              while (sent.get() < 512) { // so that the test ends even without the bound
                exchange.getResponseBody().write(part);
                sent.incrementAndGet();
              }
            })) {
      assertKindFails(store, "the answer of the store at %s has over 128 MiB");
    }
    assertThat(sent.get()).isLessThan(512);
  }

  /** A VictoriaMetrics cluster answers what its living nodes know. */
  @Test
  void aPartialReplyIsRefused() throws IOException {
    String message =
        "the store at %s returned a partial answer: some of its nodes cannot be reached";
    String samples = FakeStore.SAMPLES.replace("\"data\"", "\"isPartial\":true,\"data\"");
    try (FakeStore store = FakeStore.answering(200, samples)) {
      StoreClient client = client(store);
      assertThatThrownBy(() -> client.samples("x", 1, 2))
          .isInstanceOf(StoreException.class)
          .hasMessage(message.formatted(store.url()));
      assertThatThrownBy(() -> client.number("x", 1))
          .isInstanceOf(StoreException.class)
          .hasMessage(message.formatted(store.url()));
    }
    String whole = FakeStore.SAMPLES.replace("\"data\"", "\"isPartial\":false,\"data\"");
    try (FakeStore store = FakeStore.answering(200, whole)) {
      assertThat(client(store).samples("x", 1, 2)).hasSize(1);
    }
  }

  @Test
  void aReplyThatEndsTooEarlyIsNoSamples() throws IOException {
    try (FakeStore store = FakeStore.answering(200, FakeStore.SAMPLES.substring(0, 180))) {
      StoreClient client = client(store);
      assertThatThrownBy(() -> client.samples("x", 1, 2))
          .isInstanceOf(StoreException.class)
          .hasMessage("the store at %s did not return samples".formatted(store.url()));
    }
  }

  @Test
  void theTokenIsSentAndNeverShown() throws IOException {
    try (FakeStore store = FakeStore.answering(401, "Unauthorized: Bearer abc")) {
      StoreClient client = new StoreClient(store.url(), Credentials.token("abc"), PATIENCE);
      assertThatThrownBy(client::kind)
          .hasMessage("the store at %s does not accept the token (401)".formatted(store.url()));
      assertThat(store.asked("Authorization")).isEqualTo("Bearer abc");
    }
  }

  @Test
  void userAndPasswordAreSent() throws IOException {
    try (FakeStore store = FakeStore.answering(403, "")) {
      Credentials credentials = Credentials.basic("reader", "secret");
      StoreClient client = new StoreClient(store.url(), credentials, PATIENCE);
      assertThatThrownBy(client::kind)
          .hasMessage(
              "the store at %s does not accept user reader with this password (403)"
                  .formatted(store.url()));
      assertThat(store.asked("Authorization")).isEqualTo("Basic cmVhZGVyOnNlY3JldA==");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "abc\r\nX-Other: 1", "caf\u00e9"})
  void aTokenThatNoHeaderHoldsIsNotShown(String token) {
    assertThatThrownBy(() -> Credentials.token(token))
        .isInstanceOf(StoreException.class)
        .hasMessage("the token of the store is empty or contains invalid characters");
  }

  @Test
  void redirectsAreNotFollowed() throws IOException {
    try (FakeStore other = FakeStore.answering(200, FakeStore.ONE_IN_PROMETHEUS);
        FakeStore store =
            FakeStore.answering(302, "", "Location", other.url() + "/login?secret=1")) {
      assertKindFails(store, "%s redirects to " + other.url() + "/login; use the final address");
      assertThat(other.asked("path")).isNull();
    }
  }

  @Test
  void whatIsNoStoreIsSaid() throws IOException {
    String no = "%s is not the address of a Prometheus or VictoriaMetrics: ";
    try (FakeStore store = FakeStore.answering(404, "404 page not found\n")) {
      assertKindFails(store, no + "it answers with status 404");
    }
    try (FakeStore store = FakeStore.answering(400, FakeStore.NO_PATH_IN_VICTORIA_METRICS)) {
      assertKindFails(store, no + "it answers with status 400");
    }
    try (FakeStore store = FakeStore.answering(200, "<html><body>Grafana</body></html>")) {
      assertKindFails(store, no + "its answer has another format");
    }
    try (FakeStore store = FakeStore.answering(502, "<html>Bad Gateway</html>")) {
      assertKindFails(store, "the store at %s answered with status 502");
    }
    try (FakeStore store = FakeStore.answering(401, "")) {
      assertKindFails(store, "the store at %s requires a token or a password (401)");
    }
  }

  @Test
  void theReasonOfTheStoreIsPassedOn() throws IOException {
    try (FakeStore store = FakeStore.answering(400, FakeStore.BAD_QUERY_IN_PROMETHEUS)) {
      assertKindFails(
          store,
          "the store at %s refused the request: invalid parameter \"query\": 1:4: parse error:"
              + " unexpected end of input");
    }
    try (FakeStore store = FakeStore.answering(503, "too many\nqueries")) {
      assertKindFails(store, "the store at %s answered with status 503: too many queries");
    }
  }

  @Test
  void aStoreThatIsGoneIsSaid() throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    String url = "http://127.0.0.1:" + port;
    StoreClient client = new StoreClient(url, Credentials.NONE, PATIENCE);
    assertThatThrownBy(client::kind)
        .hasMessage("cannot connect to a store at " + url + ": connection refused");
  }

  @Test
  void aStoreThatDoesNotFinishItsReplyIsGivenUp() throws IOException {
    CountDownLatch end = new CountDownLatch(1);
    try (FakeStore store =
        new FakeStore(
            exchange -> {
              exchange.sendResponseHeaders(200, 100);
              exchange.getResponseBody().write('{');
              exchange.getResponseBody().flush();
              awaitQuietly(end);
            })) {
      StoreClient client = new StoreClient(store.url(), Credentials.NONE, Duration.ofSeconds(1));
      assertThatThrownBy(client::kind)
          .hasMessage("the store at %s has not answered for 1 s".formatted(store.url()));
      end.countDown();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "foo", "ftp://host", "http://", "http://a b"})
  void aUrlThatIsNoneIsSaid(String url) {
    assertThatThrownBy(() -> new StoreClient(url, Credentials.NONE, PATIENCE))
        .isInstanceOf(StoreException.class)
        .hasMessageEndingWith("is not the URL of a store");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"http://u:p@host", "http://u:p/w@host", "http://u:p?w@host", "u:p@host", "@"})
  void aPasswordInTheUrlIsNotRepeated(String url) {
    assertThatThrownBy(() -> new StoreClient(url, Credentials.NONE, PATIENCE))
        .isInstanceOf(StoreException.class)
        .hasMessage("the URL of the store contains a user name or a password");
  }

  @Test
  void aLongBodyArrivesWhole() throws IOException {
    AtomicReference<String> body = new AtomicReference<>();
    // Random letters, since a body that gzip shortens to a few blocks is not long.
    String expected =
        new Random(1)
            .ints(1 << 20, 'A', 'z')
            .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
            .toString();
    try (FakeStore store =
        new FakeStore(exchange -> FakeStore.answer(exchange, 204, "", body::set))) {
      client(store)
          .post(
              "/api/v1/import/prometheus",
              "text/plain",
              out -> out.write(expected.getBytes(StandardCharsets.UTF_8)));
      assertThat(store.asked("Content-Type")).isEqualTo("text/plain");
    }
    assertThat(body.get().equals(expected)).as("the whole body").isTrue();
  }

  @Test
  void aBodyThatCannotBeWrittenToItsEndIsNotTakenForWhole() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    AtomicReference<String> body = new AtomicReference<>();
    try (FakeStore store =
        new FakeStore(
            exchange -> {
              begun.countDown();
              try {
                FakeStore.answer(exchange, 204, "", body::set);
              } finally {
                ended.countDown();
              }
            })) {
      StoreClient client = client(store);
      assertThatThrownBy(
              () ->
                  client.post(
                      "/import",
                      "text/plain",
                      out -> {
                        byte[] bytes = new byte[1 << 20];
                        new Random(1).nextBytes(bytes); // so that compression leaves some to send
                        out.write(bytes);
                        awaitQuietly(begun);
                        throw new IOException("disk");
                      }))
          .hasMessage("disk");
      awaitQuietly(ended);
      assertThat(body.get()).isNull();
    }
  }
}
