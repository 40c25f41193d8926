package io.shardload.workload.statements.folder;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options that keys of the configuration set. */
class SettingTest {
  private static final String OPTIONS =
      "{'groups': {'values': 'any', 'default': 10, 'key': 'workload.data.groups', 'one-per': 100,"
          + " 'min': 1, 'max': 5000}, 'size': {'values': 'any', 'default': '2KiB', 'unit': 'bytes',"
          + " 'key': 'workload.data.size', 'stands-for': {'mixed': [1, 2]}}, 'ratio': {'values':"
          + " 'any', 'default': 2.0, 'key': 'workload.data.ratio', 'min': 1.5, 'max': 4}, 'index':"
          + " {'values': ['hash', 'btree', 'hashed'], 'postgresql': ['hash', 'btree'], 'mongodb':"
          + " ['hashed'], 'key': 'schema.index', 'stands-for': {'hash': 'HASH'}}}";

  private static Switches read(String root, String system) {
    JsonObject json = BundleFixture.parse(root);
    Options work = new Options("", json).section("workload");
    json.getAsJsonObject("workload").add("options", BundleFixture.parse(OPTIONS));
    return Switches.read(new Options("", json), work, List.of(system));
  }

  private static Object value(String root, String option) {
    return read(root, "postgresql").values().get(option);
  }

  /** Mutations: the most is that of the documents; the default ignores them. */
  @ParameterizedTest
  @CsvSource({"0, 10", "5, 5", "999, 10", "1100, 11", "900000, 5000"})
  void aDefaultGrowsWithTheDocuments(long documents, long groups) {
    String root = "{'workload': {'data': {'documents': %d}}}".formatted(documents);
    assertThat(value(root, "groups")).isEqualTo(groups);
  }

  @Test
  void theFormOfAValueIsOne() {
    String root =
        "{'workload': {'data': {'size': '1.5KiB', 'ratio': 3}}, 'schema': {'index': 'btree'}}";
    assertThat(value(root, "size")).isEqualTo(1536L);
    assertThat(value(root, "ratio")).isEqualTo("3.0");
    assertThat(value(root, "index")).isEqualTo("btree");
    assertThat(read("{'workload': {}}", "mongodb").values()).containsEntry("index", "hashed");
    Switches switches = read(root, "postgresql");
    assertThat(switches.byName().get("size").option("1536")).isEqualTo("workload.data.size=1536B");
    assertThat(switches.byName().get("index").option("hash")).isEqualTo("schema.index=hash");
    assertThat(switches.setBy("workload.data")).containsOnlyKeys("groups", "size", "ratio");
  }

  @Test
  void aValueMayStandForAnother() {
    String root = "{'workload': {'data': {'size': 'mixed'}}, 'schema': {'index': 'hash'}}";
    Switches switches = read(root, "postgresql");
    JsonObject section = BundleFixture.parse("{'size': '$size', 'index': '$index'}");
    JsonObject filled = switches.filled("", section).getAsJsonObject();
    assertThat(filled.getAsJsonArray("size")).hasSize(2);
    assertThat(filled.get("index")).isEqualTo(new JsonPrimitive("HASH"));
    assertThat(switches.values()).containsEntry("size", "mixed").containsEntry("index", "hash");
  }

  /** As a bundle has it, with both. */
  @Test
  void theOptionAndItsKeyMustAgree() {
    String both = "{'workload': {'data': {'size': '2KiB'}, 'chosen': {'size': %s}}}";
    assertThat(value(both.formatted("2048"), "size")).isEqualTo(2048L);
    assertThat(refusalOf(() -> value(both.formatted("2049"), "size")))
        .hasMessage("conflicts with workload.options.size=2049");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'workload': {}, 'schema': {'index': 'hashd'}} | schema.index: unknown value \"hashd\";"
            + " did you mean \"hash\"?",
        "{'workload': {}, 'schema': {'index': 'hashed'}} | schema.index: postgresql does not take"
            + " \"hashed\", mongodb does; known are hash, btree",
        "{'workload': {'data': {'size': 'huge'}}} | workload.data.size: 'huge' is neither a size"
            + " such as 2KiB nor 'mixed'",
        "{'workload': {'chosen': {'groups': 0}}} | workload.options.groups: 0 is outside 1 to 5000"
      })
  void theMessageNamesTheKeyThatWasSet(String root, String message) {
    ConfigException refused = refusalOf(() -> read(root, "postgresql"));
    assertThat(refused.key() + ": " + refused.getMessage()).isEqualToIgnoringCase(message);
  }

  @Test
  void otherKeysAreRefused() {
    JsonObject option = BundleFixture.parse("{'key': 'target.url'}");
    assertThat(refusalOf(() -> Setting.read(new Options("workload.options.a", option))))
        .hasMessage("is neither a key of workload.data nor of schema: 'target.url'");
  }
}
