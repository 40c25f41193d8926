package io.shardload.bundle.hosts;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.EnumMap;
import java.util.Map;

/**
 * One machine during a run.
 *
 * @param host its name or address; several, with commas, where containers of one machine have their
 *     own
 * @param role a word of the key {@code target.hosts}, or {@link #GENERATOR}
 * @param server whether a server of the target runs there
 * @param cores number of processors; 0 if unknown
 * @param values by figure one value for each interval of the file, NaN where nothing is known; a
 *     figure without any value is absent
 */
public record HostSeries(
    String host, String role, boolean server, int cores, Map<Figure, double[]> values) {
  /** The role of a machine on which only generators run. */
  public static final String GENERATOR = "generator";

  public HostSeries {
    values = Map.copyOf(values);
  }

  /** The value in an interval; NaN where nothing is known. */
  public double at(Figure figure, int interval) {
    double[] all = values.get(figure);
    return all == null || interval < 0 || interval >= all.length ? Double.NaN : all[interval];
  }

  /** The machine in words, {@code db1.example (shard)}. */
  public String name() {
    return host + " (" + role + ")";
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject();
    json.addProperty("host", host);
    json.addProperty("role", role);
    json.addProperty("server", server);
    json.addProperty("cores", cores);
    JsonObject figures = new JsonObject();
    for (Figure figure : Figure.values()) {
      double[] all = values.get(figure);
      if (all != null) {
        JsonArray array = new JsonArray();
        for (double value : all) {
          array.add(Json.finite(value));
        }
        figures.add(figure.key(), array);
      }
    }
    json.add("figures", figures);
    return json;
  }

  static HostSeries fromJson(JsonObject json) {
    Map<Figure, double[]> values = new EnumMap<>(Figure.class);
    for (Figure figure : Figure.values()) {
      JsonArray array = Json.array(Json.object(json, "figures"), figure.key());
      if (!array.isEmpty()) {
        double[] all = new double[array.size()];
        for (int i = 0; i < all.length; i++) {
          JsonElement value = array.get(i);
          all[i] = value.isJsonNull() ? Double.NaN : value.getAsDouble();
        }
        values.put(figure, all);
      }
    }
    return new HostSeries(
        Json.text(json, "host", ""),
        Json.text(json, "role", GENERATOR),
        Json.flag(json, "server"),
        (int) Json.integer(json, "cores", 0),
        values);
  }
}
