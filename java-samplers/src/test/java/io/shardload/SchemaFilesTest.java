package io.shardload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Driver;
import io.shardload.driver.TargetConfig;
import io.shardload.generator.RunConfig;
import io.shardload.workload.Workload;
import io.shardload.workload.statements.parameters.Parameters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The JSON Schemas of the YAML files ({@code taurus/schemas}) know the keys and words that drivers,
 * data and parameters know, no more and no less. The refusal of a key or word that is near no other
 * names all that are known. Keys that Python checks have such a test in {@code test_schemas.py}.
 */
class SchemaFilesTest {
  private static final String FAR = "zzzzqqqq";

  private static JsonObject definition(String kind, String... path) {
    try {
      Path file = Path.of("../taurus/schemas", kind + ".schema.json");
      JsonObject found = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
      for (String part : path) {
        found = found.getAsJsonObject(part);
      }
      return found;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The words that the refusal of {@link #FAR} at a key names. */
  private static Set<String> known(String key, Runnable reading) {
    ConfigException refused = catchThrowableOfType(ConfigException.class, reading::run);
    assertThat(refused).as("nothing was refused at " + key).isNotNull();
    String message =
        refused.problems().stream()
            .filter(one -> one.key().equals(key) && one.getMessage().contains(FAR))
            .map(Throwable::getMessage)
            .findFirst()
            .orElseThrow(() -> new AssertionError(key + ": " + refused.problems()));
    String words = message.substring(message.indexOf("known are ") + "known are ".length());
    return new TreeSet<>(Arrays.asList(words.split(", ", -1)));
  }

  private static Set<String> words(JsonElement values) {
    return values.getAsJsonArray().asList().stream()
        .map(JsonElement::getAsString)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static JsonObject one(String key, String value) {
    JsonObject json = new JsonObject();
    json.addProperty(key, value);
    return json;
  }

  private static void check(Driver driver, JsonObject options, JsonObject schema) {
    String url =
        Map.of("postgresql", "postgresql://127.0.0.1/x", "mongodb", "mongodb://127.0.0.1/x")
            .getOrDefault(driver.name(), "");
    driver.check(new TargetConfig("t", driver.name(), "", url, "", "", options, schema));
  }

  /** The drivers of the schema are those that there are. */
  @Test
  void driversAreThoseThatThereAre() {
    JsonObject target = definition("target", "properties", "target", "properties");
    assertThat(words(target.getAsJsonObject("driver").get("enum")))
        .isEqualTo(RunConfig.drivers().stream().map(Driver::name).collect(Collectors.toSet()));
  }

  /** Turned red by an option taken out of the schema, and by one added to it. */
  @ParameterizedTest
  @ValueSource(strings = {"postgresql", "mongodb", "noop"})
  void optionsOfDriversAreThoseOfTheSchema(String name) {
    Driver driver =
        RunConfig.drivers().stream().filter(d -> d.name().equals(name)).findFirst().orElseThrow();
    JsonObject options = definition("target", "definitions", "options-" + name, "properties");
    assertThat(known("target.options." + FAR, () -> check(driver, one(FAR, "1"), new JsonObject())))
        .isEqualTo(new TreeSet<>(options.keySet()));
    options
        .entrySet()
        .forEach(
            option -> {
              JsonElement choices = option.getValue().getAsJsonObject().get("enum");
              if (choices != null) {
                String key = "target.options." + option.getKey();
                Set<String> words =
                    known(key, () -> check(driver, one(option.getKey(), FAR), new JsonObject()));
                assertThat(withoutEmpty(words)).as(key).isEqualTo(withoutEmpty(words(choices)));
              }
            });
  }

  private static Set<String> withoutEmpty(Set<String> words) {
    return words.stream().filter(word -> !word.isBlank()).collect(Collectors.toSet());
  }

  @ParameterizedTest
  @ValueSource(strings = {"postgresql", "mongodb"})
  void schemaOptionsOfDriversAreThoseOfTheSchema(String name) {
    Driver driver =
        RunConfig.drivers().stream().filter(d -> d.name().equals(name)).findFirst().orElseThrow();
    JsonObject options = definition("target", "definitions", "schema-" + name, "properties");
    assertThat(known("schema." + FAR, () -> check(driver, new JsonObject(), one(FAR, "1"))))
        .isEqualTo(new TreeSet<>(options.keySet()));
    options
        .entrySet()
        .forEach(
            option -> {
              JsonElement choices = option.getValue().getAsJsonObject().get("enum");
              if (choices != null) {
                String key = "schema." + option.getKey();
                assertThat(
                        known(
                            key, () -> check(driver, new JsonObject(), one(option.getKey(), FAR))))
                    .as(key)
                    .isEqualTo(words(choices));
              }
            });
  }

  @Test
  void dataOfTheDocumentStoreAreThoseOfTheSchema() {
    Workload workload =
        RunConfig.workloads().stream()
            .filter(one -> one.name().equals("document-store"))
            .findFirst()
            .orElseThrow();
    String path = "workload.data";
    Set<String> known =
        known(
            path + "." + FAR,
            () -> new Options(path, one(FAR, "1")).whole(data -> workload.model(1, data)));
    assertThat(known)
        .isEqualTo(
            new TreeSet<>(definition("workload", "definitions", "data", "properties").keySet()));
  }

  private static void read(Path folder, JsonObject parameters) {
    JsonObject data =
        BundleFixture.parse("{'tables':{'t':{'rows':5,'columns':{'id':{'type':'sequential'}}}}}");
    Parameters.read(
        new Options("workload.parameters", parameters),
        new Options("workload.data", data),
        folder,
        1);
  }

  /** Each type knows keys of the schema only, and each of these is known to a type. */
  @Test
  void keysOfParametersAreThoseOfTheSchema(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("a.csv"), "c\n1\n");
    JsonObject values = definition("workload-folder", "definitions", "values", "properties");
    Set<String> types = words(values.getAsJsonObject("type").get("enum"));
    JsonObject wrong = new JsonObject();
    wrong.add("p", one("type", FAR));
    assertThat(known("workload.parameters.p.type", () -> read(folder, wrong))).isEqualTo(types);
    JsonObject required =
        BundleFixture.parse(
            "{'integer':{'max':5,'distribution':'normal'},'decimal':{'max':5,'distribution':"
                + "'zipfian'},'text':{'length':5},'word':{'words':['a']},'json':{'fields':{'a':"
                + "{'type':'uuid'}}},'reference':{'table':'t','column':'id'},'sequential':{'table':"
                + "'t','column':'id'},'csv':{'file':'a.csv','column':'c'}}");
    Set<String> found = new TreeSet<>();
    for (String type : types) {
      JsonObject spec = Json.object(required, type).deepCopy();
      spec.addProperty("type", type);
      spec.addProperty(FAR, 1);
      JsonObject parameters = new JsonObject();
      parameters.add("p", spec);
      found.addAll(known("workload.parameters.p." + FAR, () -> read(folder, parameters)));
    }
    assertThat(found).isEqualTo(new TreeSet<>(values.keySet()));
  }
}
