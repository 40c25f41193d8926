package io.shardload;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.config.Options;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * The defaults in the JSON Schemas of the YAML files are those of the code: a section with the
 * default means the same as an empty one. Defaults that Python knows have such a test in {@code
 * test_configuration_page.py}.
 */
class SchemaDefaultsTest {
  private static final Path SCHEMAS = Path.of("../taurus/schemas");

  /** The keys of a mapping of a schema that have a default, each with it. */
  public static JsonObject defaults(String kind, String... path) {
    try {
      String text = Files.readString(SCHEMAS.resolve(kind + ".schema.json"));
      JsonObject found = JsonParser.parseString(text).getAsJsonObject();
      for (String part : path) {
        found = found.getAsJsonObject(part);
      }
      JsonObject defaults = new JsonObject();
      for (String key : found.keySet()) {
        JsonElement value = found.getAsJsonObject(key).get("default");
        if (value != null) {
          defaults.add(key, value);
        }
      }
      assertThat(defaults.size()).isPositive();
      return defaults;
    } catch (IOException e) {
      throw new LinkageError("the class has changed", e);
    }
  }

  private static void compare(
      JsonObject defaults, JsonObject around, Function<JsonObject, Object> reader) {
    for (String key : defaults.keySet()) {
      JsonObject given = around.deepCopy();
      given.add(key, defaults.get(key));
      assertThat(reader.apply(given)).as(key).isEqualTo(reader.apply(around));
    }
  }

  /** Calls the static method {@code read} of a class, which may be private to its package. */
  private static Object read(String type, Object... arguments) {
    try {
      Method read =
          Arrays.stream(Class.forName("io.shardload." + type).getDeclaredMethods())
              .filter(method -> method.getName().equals("read"))
              .findFirst()
              .orElseThrow();
      read.setAccessible(true);
      return read.invoke(null, arguments);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the class has changed", e);
    }
  }

  /** Turned red by another default of connect-timeout in the schema. */
  @Test
  void optionsOfDrivers() {
    for (String driver : List.of("postgresql", "mongodb")) {
      compare(
          defaults("target", "definitions", "options-" + driver, "properties"),
          new JsonObject(),
          json -> read("driver." + driver + ".client.Settings", new Options("o", json), true));
    }
    compare(
        defaults("target", "definitions", "options-noop", "properties"),
        new JsonObject(),
        json -> read("driver.noop.ServicePlan", new Options("o", json)));
  }

  @Test
  void beginOfStall() {
    JsonObject stall = new JsonObject();
    stall.addProperty("for", "2s");
    compare(
        defaults(
            "target", "definitions", "options-noop", "properties", "stalls", "items", "properties"),
        stall,
        json -> {
          JsonObject options = JsonParser.parseString("{\"stalls\": []}").getAsJsonObject();
          options.getAsJsonArray("stalls").add(json);
          return read("driver.noop.ServicePlan", new Options("o", options));
        });
  }

  /** Turned red by another default of document-storage in the schema. */
  @Test
  void schemaOfPostgresql() {
    JsonObject distributed = new JsonObject();
    distributed.addProperty("distribution", "id");
    JsonObject defaults = defaults("target", "definitions", "schema-postgresql", "properties");
    Function<JsonObject, Object> reader =
        json -> read("driver.postgresql.schema.SchemaOptions", new Options("s", json));
    JsonObject distribution = new JsonObject();
    distribution.add("distribution", defaults.remove("distribution"));
    compare(distribution, new JsonObject(), reader);
    compare(defaults, distributed, reader);
  }

  /** The record also knows which keys were given, which is no difference in meaning. */
  @Test
  void schemaOfMongodb() {
    compare(
        defaults("target", "definitions", "schema-mongodb", "properties"),
        new JsonObject(),
        json -> {
          Object read = read("driver.mongodb.schema.SchemaOptions", new Options("s", json));
          return List.of("usedShardKey", "index", "initialChunks", "zones", "waitForBalancer")
              .stream()
              .map(name -> component(read, name))
              .toList();
        });
  }

  private static Object component(Object of, String name) {
    try {
      Method method = of.getClass().getDeclaredMethod(name);
      method.setAccessible(true);
      return method.invoke(of);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("the class has changed", e);
    }
  }

  /** Turned red by another default of rows-per-find in the schema. */
  @Test
  void dataOfTheDocumentStore() {
    compare(
        defaults("workload", "definitions", "data", "properties"),
        new JsonObject(),
        json -> read("workload.documentstore.Shape", 1L, new Options("d", json)));
  }

  /** Turned red by another default of rows in the schema. */
  @Test
  void whatATransactionExpects() {
    JsonObject defaults = defaults("workload-folder", "definitions", "transaction", "properties");
    assertThat(defaults.keySet()).isEqualTo(new TreeSet<>(Set.of("rows", "isolation", "atomic")));
    compare(
        defaults,
        new JsonObject(),
        json ->
            read("workload.statements.definition.TransactionDefinition", new Options("t", json)));
  }
}
