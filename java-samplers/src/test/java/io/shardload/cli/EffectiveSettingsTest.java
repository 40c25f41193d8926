package io.shardload.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.bundle.BundleFixture;
import io.shardload.compare.CompareVerb;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestMongo;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An option that is left to its default and one that names the default are the same setting: {@code
 * environment.json} has its value in both, and {@code compare} goes by that.
 */
class EffectiveSettingsTest {
  private static final String DATA = "{'documents': 20, 'tenants': 2}";

  @TempDir private Path temporary;

  @Test
  void aDefaultOfPostgresqlIsTheValueThatItStandsFor() throws Exception {
    Path left = bundle("left", postgresql("{}"), "{}");
    String defaults =
        "{'index': 'hash', 'document-storage': 'toast-compressed', 'compression': 'pglz',"
            + " 'distribution': 'none', 'checkpoint-after-load': 'false'}";
    Path named = bundle("named", postgresql("{'connect-timeout': '5000ms'}"), defaults);
    Path other = bundle("other", postgresql("{}"), "{'index': 'btree'}");

    String golden =
        "{'checkpoint-after-load': 'false', 'compression': 'pglz', 'distribution': 'none',"
            + " 'document-storage': 'toast-compressed', 'index': 'hash'}";
    assertThat(schema(left)).isEqualTo(Asked.json(golden));
    assertThat(schema(named)).isEqualTo(Asked.json(golden));
    assertThat(differences(left, named)).isEmpty();
    assertThat(differences(left, other))
        .containsExactly(
            "schema: the indexes, storage or distribution differ: A index hash; B index btree");
  }

  @Test
  void aDefaultOfMongodbIsTheValueThatItStandsFor() throws Exception {
    Path left = bundle("left", mongodb("{}"), "{}");
    String timeout = "{'server-selection-timeout': '5s', 'connect-timeout': '5000ms'}";
    Path named = bundle("named", mongodb(timeout), "{'index': 'hashed'}");
    Path other = bundle("other", mongodb("{}"), "{'index': 'ascending'}");

    JsonObject golden = Asked.json("{'index': 'hashed', 'shard-key': 'none'}");
    assertThat(schema(left)).isEqualTo(golden);
    assertThat(schema(named)).isEqualTo(golden);
    assertThat(differences(left, named)).isEmpty();
    assertThat(differences(left, other))
        .containsExactly(
            "schema: the indexes, storage or distribution differ: A index hashed; B index ascending");
  }

  /** What both drivers have is in one form. */
  @Test
  void settingsOfTwoDriversAreToldInOneForm() throws Exception {
    JsonObject one = read(bundle("one", postgresql("{}"), "{}")).getAsJsonObject("client");
    JsonObject other = read(bundle("other", mongodb("{}"), "{}")).getAsJsonObject("client");
    for (String key :
        List.of(
            "connections", "pool-size", "connect-timeout", "statement-timeout", "socket-timeout")) {
      assertThat(one.get(key)).as(key).isNotNull().isEqualTo(other.get(key));
    }
  }

  private static String postgresql(String options) {
    return Asked.target(TestDatabases.fresh(), "")
        .replace("'options': {}", "'options': " + options);
  }

  private static String mongodb(String options) {
    return "{'driver': 'mongodb', 'url': '%s', 'options': %s}"
        .formatted(TestMongo.fake().url(), options);
  }

  /** A bundle with the environment of a real run's begin, and a second of made-up results. */
  private Path bundle(String name, String target, String schema) throws Exception {
    Path directory = Files.createDirectories(temporary.resolve(name));
    try (Asked child = new Asked(target, DATA, directory).with("schema", schema)) {
      child.settleSize();
      child.ask("schema");
      child.ask("load");
      child.ask("begin");
    }
    BundleFixture bundle = new BundleFixture(directory).segment("hold", "hold", 1, 100);
    bundle.run.add("schema", Asked.json(schema));
    bundle.environment = read(directory);
    bundle.generator(0).done(0, "hold", "update", 100);
    return bundle.write();
  }

  private static JsonObject schema(Path bundle) throws Exception {
    JsonObject schema = read(bundle).getAsJsonObject("schema");
    schema.remove("measured-compression-ratio");
    return schema;
  }

  private static JsonObject read(Path bundle) throws Exception {
    return JsonParser.parseString(Files.readString(bundle.resolve("environment.json")))
        .getAsJsonObject();
  }

  /** What {@code compare} calls not comparable. */
  private List<String> differences(Path... bundles) throws Exception {
    JsonArray runs = new JsonArray();
    for (Path bundle : bundles) {
      JsonObject run = new JsonObject();
      run.addProperty("bundle", bundle.toString());
      runs.add(run);
    }
    JsonObject request = new JsonObject();
    request.addProperty("directory", temporary.toString());
    request.add("runs", runs);
    String mark = "NOT COMPARABLE  ";
    return CompareVerb.run(request).getAsJsonArray("lines").asList().stream()
        .map(JsonElement::getAsString)
        .filter(line -> line.startsWith(mark))
        .map(line -> line.substring(mark.length()))
        .toList();
  }
}
