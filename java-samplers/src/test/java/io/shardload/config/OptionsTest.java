package io.shardload.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonParser;
import io.shardload.generator.schedule.Mix;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bad input is one clear line with the key and the nearest right name. */
class OptionsTest {
  private static Options options(String json) {
    return new Options("target.options", JsonParser.parseString(json).getAsJsonObject());
  }

  /** Mutation: ignore keys that were never read. */
  @Test
  void unknownKeysAreRefusedWithTheNearestName() {
    Options options = options("{'statments': 'simple'}");
    options.choice("statements", "prepared", List.of("simple", "prepared"));
    options.integer("pool-size", 8, 1, 100);
    assertThatThrownBy(options::rejectUnknown)
        .isInstanceOfSatisfying(
            ConfigException.class,
            e -> {
              assertThat(e.key()).isEqualTo("target.options.statments");
              assertThat(e.nearest()).contains("statements");
            });
  }

  @Test
  void valuesOutsideTheirTypeAreRefused() {
    assertThatThrownBy(() -> options("{'n': 1.5}").integer("n", 1, 0, 9))
        .hasMessageContaining("1.5");
    assertThatThrownBy(() -> options("{'n': 10}").integer("n", 1, 0, 9))
        .hasMessageContaining("outside 0 to 9");
    assertThatThrownBy(() -> options("{'n': {}}").text("n")).hasMessageContaining("single value");
    assertThatThrownBy(() -> options("{'t': '5 minutes'}").duration("t", Duration.ZERO))
        .hasMessageContaining("'5 minutes'");
    assertThatThrownBy(() -> options("{'s': '2KB'}").bytes("s", 0)).hasMessageContaining("2KiB");
    assertThatThrownBy(() -> options("{'c': 'prepard'}").choice("c", "", List.of("prepared")))
        .isInstanceOfSatisfying(
            ConfigException.class, e -> assertThat(e.nearest()).contains("prepared"));
    assertThat(options("{'t': '1.5ms'}").duration("t", Duration.ZERO).toNanos())
        .isEqualTo(1_500_000);
    assertThat(options("{'s': '2KiB'}").bytes("s", 0)).isEqualTo(2048);
  }

  /** Mutation: sum the percentages as doubles with a tolerance. */
  @Test
  void mixesSumToExactlyOneHundred() {
    List<String> known = List.of("insert", "update", "delete");
    assertThatThrownBy(() -> Mix.read(options("{'insert': 99.9}"), known))
        .hasMessageContaining("99.9");
    assertThatThrownBy(() -> Mix.read(options("{'insert': 99.99999999999999}"), known))
        .hasMessageContaining("99.99999999999999");
    assertThatThrownBy(() -> Mix.read(options("{'insert': 110, 'update': -10}"), known))
        .hasMessageContaining("negative");
    assertThatThrownBy(() -> Mix.read(options("{'inser': 100}"), known))
        .isInstanceOfSatisfying(
            ConfigException.class, e -> assertThat(e.nearest()).contains("insert"));
    assertThat(Mix.read(options("{'insert': 33.3, 'update': 66.7, 'delete': 0}"), known).names())
        .containsExactly("insert", "update");
  }
}
