package io.shardload;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

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
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.folder.Switches;
import io.shardload.workload.statements.folder.Systems;
import io.shardload.workload.statements.parameters.Parameters;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
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

  private static final Path SCHEMAS = Path.of("../taurus/schemas");

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
    ConfigException refused = refusalOf(reading::run);
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
        Map.of(
                "postgresql", "postgresql://127.0.0.1/x",
                "mariadb", "mariadb://127.0.0.1/x",
                "mongodb", "mongodb://127.0.0.1/x")
            .getOrDefault(driver.name(), "");
    driver.check(new TargetConfig("t", driver.name(), "", url, "", "", options, schema, ""));
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
  @ValueSource(strings = {"postgresql", "mariadb", "mongodb", "noop"})
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
    String path = "workload.data";
    Set<String> known =
        known(
            path + "." + FAR,
            () -> new Options(path, one(FAR, "1")).whole(DocumentStoreFolder::read));
    known.removeAll(Set.of("existing", "tables")); // Of a folder's own file.
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
        Switches.NONE,
        1);
  }

  /** The places where a folder may name a system: those that drivers declare, and no others. */
  @Test
  void systemsAreThoseOfTheDrivers() {
    JsonObject check = definition("workload-folder", "definitions", "check", "properties");
    JsonObject items = check.getAsJsonObject("systems").getAsJsonObject("items");
    assertThat(words(items.get("enum"))).containsExactlyElementsOf(Systems.names());
    assertThat(definition("workload-folder", "definitions", "transaction", "properties").keySet())
        .containsAll(Systems.names());
    JsonObject work =
        BundleFixture.parse("{'options':{'o':{'values':['a'],'%s':1}}}".formatted(FAR));
    Options none = new Options("", new JsonObject());
    assertThat(definition("workload-folder", "definitions", "option", "properties").keySet())
        .isEqualTo(
            known(
                "workload.options.o." + FAR,
                () -> Switches.read(none, new Options("workload", work), List.of())));
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
                + "'t','column':'id'},'csv':{'file':'a.csv','column':'c'},'list':{'length':1,'of':"
                + "{'type':'uuid'}}}");
    Set<String> found = new TreeSet<>();
    for (String type : types) {
      JsonObject spec = Json.object(required, type).deepCopy();
      spec.addProperty("type", type);
      spec.addProperty(FAR, 1);
      JsonObject parameters = new JsonObject();
      parameters.add("p", spec);
      found.addAll(known("workload.parameters.p." + FAR, () -> read(folder, parameters)));
    }
    JsonObject column =
        BundleFixture.parse(
            "{'tables':{'t':{'rows':5,'columns':{'c':{'type':'code','values':2,'%s':1}}}}}"
                .formatted(FAR));
    found.addAll(
        known(
            "workload.data.tables.t.columns.c." + FAR,
            () ->
                Parameters.read(
                    new Options("workload.parameters", new JsonObject()),
                    new Options("workload.data", column),
                    folder,
                    Switches.NONE,
                    1)));
    found.addAll(Set.of("for", "columns")); // Read before the type is; of children alone.
    assertThat(found).isEqualTo(new TreeSet<>(values.keySet()));
  }

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

  // The defaults in the JSON Schemas of the YAML files are those of the code: a section with the
  // default means the same as an empty one. Defaults that Python knows have such a test in
  // test_configuration_page.py.

  /** Turned red by another default of connect-timeout in the schema. */
  @Test
  void optionsOfDrivers() {
    compare(
        defaults("target", "definitions", "options-mariadb", "properties"),
        new JsonObject(),
        json -> read("driver.mariadb.MariadbDriver", new Options("o", json), Optional.empty()));
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
          return List.of("shardKey", "index", "initialChunks", "zones", "waitForBalancer").stream()
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
        json -> {
          StatementsModel model = DocumentStoreFolder.model("postgresql", 1, json.toString());
          return List.of(model.documents(), model.chosen());
        });
  }

  /** Turned red by another default of rows in the schema. */
  @Test
  void whatATransactionExpects() {
    JsonObject defaults = defaults("workload-folder", "definitions", "expectations", "properties");
    assertThat(defaults.keySet()).isEqualTo(new TreeSet<>(Set.of("rows", "isolation", "atomic")));
    compare(
        defaults,
        new JsonObject(),
        json ->
            read(
                "workload.statements.Definitions$Transaction",
                new Options("t", json),
                Switches.NONE));
  }
}
