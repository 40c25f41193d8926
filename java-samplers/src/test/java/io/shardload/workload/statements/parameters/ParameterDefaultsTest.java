package io.shardload.workload.statements.parameters;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The defaults of column and parameter types in {@code workload-folder.schema.json}: the same
 * values are drawn with the default as without the key.
 */
class ParameterDefaultsTest {
  /** For each key with a default a parameter to which it belongs. */
  private static final Map<String, String> TYPES =
      Map.of(
          "min", "{type: integer, max: 500}",
          "scale", "{type: decimal, max: 5}",
          "distribution", "{type: integer, max: 500}",
          "exponent", "{type: integer, max: 500, distribution: zipfian}",
          "compressibility", "{type: text, length: 50}",
          "to", "{type: timestamp, from: '-30d'}",
          "true", "{type: boolean}",
          "as", "{type: csv, file: a.csv, column: c}",
          "sample", "{type: query}");

  /** Turned red by another default of scale, exponent, true and sample in the schema. */
  @Test
  void theSameIsDrawn(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("a.csv"), "c\n1\n2\n");
    JsonObject values =
        JsonParser.parseString(
                Files.readString(Path.of("../taurus/schemas/workload-folder.schema.json")))
            .getAsJsonObject()
            .getAsJsonObject("definitions")
            .getAsJsonObject("values")
            .getAsJsonObject("properties");
    List<String> keys =
        values.keySet().stream().filter(key -> values.getAsJsonObject(key).has("default")).toList();
    assertThat(keys).containsExactlyInAnyOrderElementsOf(TYPES.keySet());
    for (String key : keys) {
      JsonObject spec = JsonParser.parseString(TYPES.get(key)).getAsJsonObject();
      List<Object> without = drawn(spec, folder);
      JsonElement value = values.getAsJsonObject(key).get("default");
      spec.add(key, value);
      assertThat(drawn(spec, folder)).as(key + ": " + value).isEqualTo(without);
    }
  }

  private static List<Object> drawn(JsonObject spec, Path folder) {
    JsonObject parameters = new JsonObject();
    parameters.add("p", spec);
    Parameters read = Reading.of(parameters.toString(), "{}", folder);
    // The values of a query are not known yet.
    return read.queries().isEmpty()
        ? Reading.first(read.byName().get("p"), 200)
        : List.of(read.queries());
  }
}
