package io.shardload.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A real headless Chromium, one for all tests of a JVM, led by the DevTools protocol. */
public final class Chromium {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
  private static final int PATIENCE_SECONDS = 180;
  private static final int POLL_MILLIS = 20;

  private static Chromium shared;

  private final Map<Integer, CompletableFuture<JsonObject>> asked = new ConcurrentHashMap<>();
  private final List<JsonObject> events = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger last = new AtomicInteger();
  private final WebSocket socket;

  private Chromium() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("chromium");
    Process process =
        new ProcessBuilder(
                browser(),
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--hide-scrollbars",
                "--remote-debugging-port=0",
                "--user-data-dir=" + folder)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(process, folder)));
    Path place = folder.resolve("DevToolsActivePort");
    await(() -> Files.exists(place) && Files.readAllLines(place).size() == 2);
    List<String> address = Files.readAllLines(place);
    URI uri = URI.create("ws://127.0.0.1:" + address.get(0) + address.get(1));
    socket =
        HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(uri, new Listener()).join();
  }

  private static String browser() {
    for (String folder : System.getenv("PATH").split(File.pathSeparator, -1)) {
      for (String name : NAMES) {
        if (Files.isExecutable(Path.of(folder, name))) {
          return Path.of(folder, name).toString();
        }
      }
    }
    throw new AssertionError(
        "this test opens a page in Chromium: install it (Debian: apt-get install chromium)");
  }

  private static void end(Process process, Path folder) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join();
    try (Stream<Path> files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The page's elements after its script ran; fails if the browser logged anything about it. */
  public static String open(Path page) throws IOException, InterruptedException {
    try (Tab tab = tab()) {
      tab.draw(page);
      return tab.evaluate("document.documentElement.outerHTML");
    }
  }

  /** What an expression that makes JSON finds on a page, in a window of this size. */
  public static JsonObject read(Path page, int width, int height, String expression)
      throws IOException, InterruptedException {
    try (Tab tab = tab()) {
      tab.resize(width, height);
      tab.draw(page);
      JsonObject found =
          JsonParser.parseString(
                  tab.evaluate("JSON.stringify((() => {%s})())".formatted(expression)))
              .getAsJsonObject();
      assertThat(tab.log()).isEmpty();
      return found;
    }
  }

  /** A page as a PDF file, in the size that its style asks for. */
  public static byte[] print(Path page) throws IOException, InterruptedException {
    try (Tab tab = tab()) {
      tab.resize(1440, 900);
      tab.draw(page);
      JsonObject printed = tab.ask("Page.printToPDF", Map.of("preferCSSPageSize", true));
      return Base64.getDecoder().decode(printed.get("data").getAsString());
    }
  }

  /**
   * A picture of a page, whatever becomes of its scripts.
   *
   * @return what the browser logged about the page, violations of its policy among it
   */
  public static List<String> picture(URI page, Path png) throws IOException, InterruptedException {
    try (Tab tab = tab()) {
      tab.load(page);
      String picture = tab.ask("Page.captureScreenshot", Map.of()).get("data").getAsString();
      Files.write(png, Base64.getDecoder().decode(picture));
      return tab.log();
    }
  }

  private static synchronized Tab tab() throws IOException, InterruptedException {
    if (shared == null) {
      shared = new Chromium();
    }
    return shared.new Tab();
  }

  private interface Condition {
    boolean holds() throws IOException;
  }

  private static void await(Condition condition) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    while (!condition.holds()) {
      assertThat(TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin))
          .as("seconds until Chromium is ready")
          .isLessThan(PATIENCE_SECONDS);
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  private synchronized JsonObject ask(String session, String method, Map<String, ?> parameters) {
    int id = last.incrementAndGet();
    CompletableFuture<JsonObject> answer =
        new CompletableFuture<JsonObject>().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS);
    asked.put(id, answer);
    JsonObject message = new JsonObject();
    message.addProperty("id", id);
    message.addProperty("method", method);
    message.add("params", new Gson().toJsonTree(parameters));
    if (!session.isEmpty()) {
      message.addProperty("sessionId", session);
    }
    socket.sendText(message.toString(), true).join();
    JsonObject reply = answer.join();
    assertThat(reply.has("error")).as("%s: %s", method, reply).isFalse();
    return reply.getAsJsonObject("result");
  }

  /** An answer has the number of its question; an event has none. */
  private void take(JsonObject message) {
    if (message.has("id")) {
      asked.remove(message.get("id").getAsInt()).complete(message);
    } else {
      events.add(message);
    }
  }

  private final class Listener implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean isLast) {
      text.append(data);
      if (isLast) {
        JsonObject message = JsonParser.parseString(text.toString()).getAsJsonObject();
        text.setLength(0);
        take(message);
      }
      from.request(1);
      return null;
    }
  }

  private final class Tab implements AutoCloseable {
    private final String context;
    private final String session;

    Tab() {
      context =
          text(Chromium.this.ask("", "Target.createBrowserContext", Map.of()), "browserContextId");
      Map<String, ?> blank = Map.of("url", "about:blank", "browserContextId", context);
      String target = text(Chromium.this.ask("", "Target.createTarget", blank), "targetId");
      Map<String, ?> attach = Map.of("targetId", target, "flatten", true);
      session = text(Chromium.this.ask("", "Target.attachToTarget", attach), "sessionId");
      for (String part : List.of("Page", "Runtime", "Log")) {
        ask(part + ".enable", Map.of());
      }
      resize(1280, 2000);
    }

    void resize(int width, int height) {
      ask(
          "Emulation.setDeviceMetricsOverride",
          Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Loads a page and waits for its script. */
    void draw(Path page) throws IOException, InterruptedException {
      load(page.toUri());
      await(
          () ->
              evaluate("'' + !!document.querySelector('[data-ready], [data-failure]')")
                  .equals("true"));
      assertThat(log()).isEmpty();
      assertThat(evaluate("'' + document.documentElement.dataset.failure")).isEqualTo("undefined");
    }

    private static String text(JsonObject reply, String name) {
      return reply.get(name).getAsString();
    }

    JsonObject ask(String method, Map<String, ?> parameters) {
      return Chromium.this.ask(session, method, parameters);
    }

    void load(URI page) throws IOException, InterruptedException {
      ask("Page.navigate", Map.of("url", page.toString()));
      await(() -> !of("Page.loadEventFired").isEmpty());
    }

    String evaluate(String expression) {
      Map<String, ?> asked = Map.of("expression", expression, "userGesture", true);
      JsonObject answer = ask("Runtime.evaluate", asked);
      assertThat(answer.has("exceptionDetails")).as("%s", answer).isFalse();
      return text(answer.getAsJsonObject("result"), "value");
    }

    /** What the browser logged: the page's own output, errors, and refusals of its policy. */
    List<String> log() {
      return Stream.of("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
          .flatMap(method -> of(method).stream())
          .map(JsonObject::toString)
          // No page names one; the browser asks by itself.
          .filter(line -> !line.contains("/favicon.ico"))
          .toList();
    }

    private List<JsonObject> of(String method) {
      synchronized (events) {
        return events.stream()
            .filter(event -> event.has("sessionId"))
            .filter(event -> text(event, "sessionId").equals(session))
            .filter(event -> text(event, "method").equals(method))
            .toList();
      }
    }

    @Override
    public void close() {
      Chromium.this.ask("", "Target.disposeBrowserContext", Map.of("browserContextId", context));
      events.clear();
    }
  }
}
