package io.shardload.driver.mongodb.schema;

import static io.shardload.driver.mongodb.schema.TestSchema.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.client.ServerKind.Product;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the section {@code schema} may ask for. */
class SchemaOptionsTest {
  static String noInitialChunks(String version) {
    return "MongoDB "
        + version
        + " always creates one chunk per shard for a hashed key; leave it out, or set"
        + " schema.shard-key=id-filter1";
  }

  @ParameterizedTest
  @CsvSource({"7.0.12, true", "7.2.0, false"})
  void whichVersionsTakeTheNumberOfHashedChunks(String version, boolean taken) {
    SchemaOptions options = options("{shard-key: hashed, initial-chunks: 12}");
    ServerKind kind = new ServerKind(Product.ROUTER, version);
    if (taken) {
      options.check(kind);
      assertThat(options.initialChunks()).isEqualTo(12);
    } else {
      assertThatThrownBy(() -> options.check(kind))
          .isInstanceOf(ConfigException.class)
          .hasMessage(noInitialChunks(version));
    }
  }

  /** The server compares the bytes of ids without a sign. */
  @Test
  void aZoneMayHoldTheMiddle() {
    String zone = "{shard-key: id-filter1, zones: [{zone: a, shards: s0, from: '%s', to: '%s'}]}";
    String low = "7fffffff-0000-4000-8000-000000000000";
    String high = "80000000-0000-4000-8000-000000000000";
    assertThat(options(zone.formatted(low, high)).zones()).hasSize(1);
    assertThatThrownBy(() -> options(zone.formatted(high, low)))
        .isInstanceOf(ConfigException.class)
        .hasMessage("is not above " + high);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{initial-chunks: 0} | 0 is outside 1 to 8192",
        "{shard-key: hashed, zones: [{zone: a, shards: s0}]} | zones are ranges of id",
        "{shard-key: id-filter1, initial-chunks: 4, zones: [{zone: a, shards: s0}]} | cannot be"
            + " combined",
        "{shard-key: id-filter1, zones: [{zone: a, shards: s0, to: 1-1-1-1-1}]} | '1-1-1-1-1' is",
        "{shard-key: id-filter1, zones: [{zone: a, shards: s0}, {zone: b, shards: s1}]} | the range"
            + " of zone",
        "{shard-key: id-filter1, zones: [{zone: a, shards: 's0,'}]} | is not a comma-separated list"
            + " of names",
      })
  void optionsThatDoNotGoTogether(String options, String message) {
    assertThatThrownBy(() -> options(options))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith(message);
  }
}
