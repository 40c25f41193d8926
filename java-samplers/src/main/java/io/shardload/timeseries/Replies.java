package io.shardload.timeseries;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.stream.JsonReader;
import io.shardload.bundle.json.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Interprets the replies of a store. */
record Replies(String url, Credentials credentials) {
  /** True in a reply of a VictoriaMetrics cluster that lacks some of its nodes. */
  private static final String PARTIAL = "isPartial";

  private static final int LONGEST_TEXT = 300;
  private static final int FIRST_SAMPLES = 256;

  /** The body of a reply that reports success. */
  byte[] body(HttpResponse<byte[]> reply) throws StoreException {
    int status = reply.statusCode();
    if (status / 100 == 2) {
      return reply.body();
    }
    throw new StoreException(
        switch (status) {
          case 401, 403 -> refusedCredentials(status);
          case 301, 302, 303, 307, 308 -> redirected(reply);
          default -> refused(status, reply.body());
        });
  }

  private String refusedCredentials(int status) {
    return credentials.authorization().isEmpty()
        ? "the store at %s requires a token or a password (%d)".formatted(url, status)
        : "the store at %s does not accept %s (%d)".formatted(url, credentials, status);
  }

  private String redirected(HttpResponse<byte[]> reply) {
    String to = reply.headers().firstValue("location").map(Replies::withoutQuery).orElse("");
    return "%s redirects%s; use the final address".formatted(url, to);
  }

  private static String withoutQuery(String location) {
    try {
      URI to = URI.create(location);
      String host = to.getHost() == null ? "" : "%s://%s".formatted(to.getScheme(), to.getHost());
      String port = to.getPort() < 0 ? "" : ":" + to.getPort();
      return " to " + host + port + (to.getPath() == null ? "" : to.getPath());
    } catch (IllegalArgumentException e) {
      return "";
    }
  }

  private String refused(int status, byte[] body) {
    String text = new String(body, UTF_8);
    String error = error(text);
    if (!error.isEmpty()) {
      return "the store at %s refused the request: %s".formatted(url, line(error));
    }
    // VictoriaMetrics answers 400 where others answer 404.
    if (status == 404 || status == 405 || text.contains("unsupported path")) {
      return noQueryApi("it answers with status %d".formatted(status));
    }
    boolean isPage = text.stripLeading().startsWith("<");
    return "the store at %s answered with status %d%s"
        .formatted(url, status, isPage || text.isBlank() ? "" : ": " + line(text));
  }

  private String noQueryApi(String why) {
    return "%s is not the address of a Prometheus or VictoriaMetrics: %s".formatted(url, why);
  }

  private static String error(String text) {
    try {
      return JsonParser.parseString(text) instanceof JsonObject json && json.has("error")
          ? json.get("error").getAsString()
          : "";
    } catch (JsonParseException | UnsupportedOperationException | IllegalStateException e) {
      return "";
    }
  }

  private static String line(String text) {
    String line = text.strip().replaceAll("\\s+", " ");
    return line.length() <= LONGEST_TEXT ? line : line.substring(0, LONGEST_TEXT) + "...";
  }

  /** The member {@code data} of a successful reply. */
  JsonElement data(HttpResponse<byte[]> reply) throws StoreException {
    String text = new String(body(reply), UTF_8);
    try {
      if (JsonParser.parseString(text) instanceof JsonObject json && json.has("data")) {
        checkWhole(Json.flag(json, PARTIAL));
        return json.get("data");
      }
    } catch (JsonParseException e) {
      // Reported below.
    }
    throw new StoreException(noQueryApi("its answer has another format"));
  }

  private void checkWhole(boolean isPartial) throws StoreException {
    if (isPartial) {
      throw new StoreException(
          "the store at %s returned a partial answer: some of its nodes cannot be reached"
              .formatted(url));
    }
  }

  /** The type of a query's result. */
  String resultType(HttpResponse<byte[]> reply) throws StoreException {
    if (data(reply) instanceof JsonObject json && json.has("resultType")) {
      return json.get("resultType").getAsString();
    }
    throw new StoreException(noQueryApi("its answer has another format"));
  }

  /** The first value of a query for one moment, 0 without any. */
  double number(HttpResponse<byte[]> reply) throws StoreException {
    JsonElement data = data(reply);
    try {
      JsonArray found = data.getAsJsonObject().getAsJsonArray("result");
      return found.isEmpty()
          ? 0
          : number(found.get(0).getAsJsonObject().getAsJsonArray("value").get(1).getAsString());
    } catch (RuntimeException e) {
      throw new StoreException("the store at %s did not return a number".formatted(url));
    }
  }

  /** The series of a query for samples, read without a tree of objects: there may be millions. */
  List<Series> series(HttpResponse<byte[]> reply) throws StoreException {
    byte[] body = body(reply);
    List<Series> found = new ArrayList<>();
    boolean isPartial = false;
    try (Reader text = new InputStreamReader(new ByteArrayInputStream(body), UTF_8);
        JsonReader json = new JsonReader(text)) {
      json.beginObject();
      while (json.hasNext()) {
        switch (json.nextName()) {
          case "data" -> readData(json, found);
          case PARTIAL -> isPartial = json.nextBoolean();
          default -> json.skipValue();
        }
      }
    } catch (IOException | JsonParseException | IllegalStateException | NumberFormatException e) {
      throw new StoreException("the store at %s did not return samples".formatted(url));
    }
    checkWhole(isPartial);
    return found;
  }

  private static void readData(JsonReader json, List<Series> found) throws IOException {
    json.beginObject();
    while (json.hasNext()) {
      if (json.nextName().equals("result")) {
        json.beginArray();
        while (json.hasNext()) {
          found.add(readSeries(json));
        }
        json.endArray();
      } else {
        json.skipValue();
      }
    }
    json.endObject();
  }

  private static Series readSeries(JsonReader json) throws IOException {
    Map<String, String> labels = new HashMap<>();
    double[] seconds = new double[FIRST_SAMPLES];
    double[] values = new double[FIRST_SAMPLES];
    int count = 0;
    json.beginObject();
    while (json.hasNext()) {
      switch (json.nextName()) {
        case "metric" -> readLabels(json, labels);
        case "values" -> {
          json.beginArray();
          while (json.hasNext()) {
            if (count == values.length) {
              seconds = Arrays.copyOf(seconds, 2 * count);
              values = Arrays.copyOf(values, 2 * count);
            }
            json.beginArray();
            seconds[count] = json.nextDouble();
            values[count++] = number(json.nextString());
            json.endArray();
          }
          json.endArray();
        }
        default -> json.skipValue();
      }
    }
    json.endObject();
    return new Series(labels, Arrays.copyOf(seconds, count), Arrays.copyOf(values, count));
  }

  private static void readLabels(JsonReader json, Map<String, String> labels) throws IOException {
    json.beginObject();
    while (json.hasNext()) {
      labels.put(json.nextName(), json.nextString());
    }
    json.endObject();
  }

  private static double number(String text) {
    return switch (text) {
      case "+Inf", "Inf" -> Double.POSITIVE_INFINITY;
      case "-Inf" -> Double.NEGATIVE_INFINITY;
      default -> Double.parseDouble(text);
    };
  }
}
