package io.shardload.bundle.hosts;

import com.google.gson.FormattingStyle;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.JsonWriter;
import io.shardload.bundle.json.Json;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The content of hosts.json, written and read without a tree of it in memory: hundreds of machines
 * have millions of values. Each figure of a machine is a line.
 */
public final class HostsFile {
  /** The precision of the counters of a machine. */
  private static final int DIGITS = 5;

  private HostsFile() {}

  /** Writes the whole file. */
  public static void write(HostMetrics metrics, Writer out) throws IOException {
    JsonWriter json = new JsonWriter(out);
    json.setFormattingStyle(FormattingStyle.PRETTY);
    json.beginObject();
    json.name("source").value(metrics.source());
    json.name("origin").value(metrics.origin());
    json.name("step_seconds").value(metrics.stepSeconds());
    json.name("hosts").beginArray();
    for (HostSeries host : metrics.hosts()) {
      write(host, json);
    }
    json.endArray();
    json.name("missing").beginArray();
    for (String sentence : metrics.missing()) {
      json.value(sentence);
    }
    json.endArray();
    json.endObject();
    json.flush();
    out.write('\n');
  }

  private static void write(HostSeries host, JsonWriter json) throws IOException {
    json.beginObject();
    json.name("host").value(host.host());
    json.name("role").value(host.role());
    json.name("server").value(host.server());
    json.name("cores").value(host.cores());
    json.name("figures").beginObject();
    for (Figure figure : Figure.values()) {
      double[] values = host.values().get(figure);
      if (values != null) {
        json.name(figure.key());
        write(values, json);
      }
    }
    json.endObject();
    json.endObject();
  }

  private static void write(double[] values, JsonWriter json) throws IOException {
    json.beginArray();
    json.setFormattingStyle(FormattingStyle.COMPACT);
    for (double value : values) {
      JsonElement rounded = Json.significant(value, DIGITS);
      json.value(rounded.equals(JsonNull.INSTANCE) ? null : rounded.getAsNumber());
    }
    json.endArray();
    json.setFormattingStyle(FormattingStyle.PRETTY);
  }

  /**
   * Reads a file.
   *
   * @throws IOException if it is not JSON
   * @throws IllegalArgumentException if it has no positive {@code step_seconds}
   * @throws IllegalStateException if a value is not of its type
   */
  public static HostMetrics read(Reader in) throws IOException {
    JsonReader json = new JsonReader(in);
    String source = HostMetrics.LOCAL;
    String origin = "";
    double step = 0;
    List<HostSeries> hosts = new ArrayList<>();
    List<String> missing = new ArrayList<>();
    json.beginObject();
    while (json.hasNext()) {
      switch (json.nextName()) {
        case "source" -> source = json.nextString();
        case "origin" -> origin = json.nextString();
        case "step_seconds" -> step = json.nextDouble();
        case "hosts" -> each(json, () -> hosts.add(host(json)));
        case "missing" -> each(json, () -> missing.add(json.nextString()));
        default -> json.skipValue();
      }
    }
    json.endObject();
    if (!(step > 0)) {
      throw new IllegalArgumentException("step_seconds is missing");
    }
    return new HostMetrics(source, origin, step, hosts, missing);
  }

  /** Reads one element of an array. */
  private interface Element {
    void read() throws IOException;
  }

  private static void each(JsonReader json, Element element) throws IOException {
    json.beginArray();
    while (json.hasNext()) {
      element.read();
    }
    json.endArray();
  }

  private static HostSeries host(JsonReader json) throws IOException {
    String host = "";
    String role = HostSeries.GENERATOR;
    boolean server = false;
    int cores = 0;
    Map<Figure, double[]> values = new EnumMap<>(Figure.class);
    json.beginObject();
    while (json.hasNext()) {
      switch (json.nextName()) {
        case "host" -> host = json.nextString();
        case "role" -> role = json.nextString();
        case "server" -> server = json.nextBoolean();
        case "cores" -> cores = json.nextInt();
        case "figures" -> figures(json, values);
        default -> json.skipValue();
      }
    }
    json.endObject();
    return new HostSeries(host, role, server, cores, values);
  }

  private static void figures(JsonReader json, Map<Figure, double[]> values) throws IOException {
    json.beginObject();
    while (json.hasNext()) {
      String key = json.nextName();
      Figure figure =
          Arrays.stream(Figure.values())
              .filter(each -> each.key().equals(key))
              .findFirst()
              .orElse(null);
      if (figure == null) {
        json.skipValue();
        continue;
      }
      double[] all = values(json);
      if (all.length > 0) {
        values.put(figure, all);
      }
    }
    json.endObject();
  }

  private static double[] values(JsonReader json) throws IOException {
    double[] values = new double[64];
    int count = 0;
    json.beginArray();
    while (json.hasNext()) {
      if (count == values.length) {
        values = Arrays.copyOf(values, 2 * count);
      }
      if (json.peek() == JsonToken.NULL) {
        json.nextNull();
        values[count++] = Double.NaN;
      } else {
        values[count++] = json.nextDouble();
      }
    }
    json.endArray();
    return Arrays.copyOf(values, count);
  }
}
