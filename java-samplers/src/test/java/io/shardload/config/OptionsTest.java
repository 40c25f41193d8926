package io.shardload.config;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.generator.schedule.Mix;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bad input is one clear line with the key and the nearest right name. */
class OptionsTest {
  private static Options options(String json) {
    return new Options("target.options", JsonParser.parseString(json).getAsJsonObject());
  }

  @Test
  void valuesOutsideTheirTypeAreRefused() {
    assertThatThrownBy(() -> options("{'n': 1.5}").integer("n", 1, 0, 9))
        .hasMessageContaining("1.5");
    assertThatThrownBy(() -> options("{'n': 10}").integer("n", 1, 0, 9))
        .hasMessageContaining("outside 0 to 9");
    assertThatThrownBy(() -> options("{'s': '2KB'}").bytes("s", 0)).hasMessageContaining("2KiB");
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

  /** Mutation: let the first wrong value end the reading. */
  @Test
  void aWholeSectionSaysAllThatIsWrongWithIt() {
    Options options =
        options(
            "{'modus': 'x', 'mode': 'slw', 'size': 0, 'share': 'half', 'wait': '5 parsecs',"
                + " 'room': '1 acre', 'on': 'perhaps', 'name': []}");
    ConfigException e =
        refusalOf(
            () ->
                options.whole(
                    section -> {
                      assertThat(section.choice("mode", "fast", List.of("fast", "slow")))
                          .isEqualTo("fast");
                      assertThat(section.integer("size", 7, 1, 10)).isEqualTo(7);
                      assertThat(section.number("share", 0.5, 0, 1)).isEqualTo(0.5);
                      assertThat(section.duration("wait", Duration.ZERO)).isZero();
                      assertThat(section.bytes("room", 3)).isEqualTo(3);
                      assertThat(section.flag("on", true)).isTrue();
                      assertThat(section.text("name", "none")).isEqualTo("none");
                      section.rejectUnknown();
                    }));
    assertThat(e.problems().stream().map(each -> each.key() + ": " + each.getMessage()))
        .containsExactly(
            "target.options.mode: unknown value \"slw\"; did you mean \"slow\"?",
            "target.options.size: 0 is outside 1 to 10",
            "target.options.share: is not a number: 'half'",
            "target.options.wait: '5 parsecs' is not a duration such as 250us, 10s or 1m30s",
            "target.options.room: '1 acre' is not a size such as 512B, 2KiB or 20GiB",
            "target.options.on: unknown value \"perhaps\"; known are true, false",
            "target.options.name: must be a single value",
            "target.options.modus: unknown option \"modus\"; did you mean \"mode\"?");
    assertThat(e.key()).isEqualTo("target.options.mode");
  }

  @Test
  void checksThatFailAreJoined() {
    ConfigException e =
        refusalOf(
            () ->
                ConfigException.all(
                    () -> {
                      throw new ConfigException("a", "is wrong");
                    },
                    () -> {},
                    () -> {
                      throw new ConfigException("b", "is worse");
                    }));
    assertThat(e.problems().stream().map(ConfigException::key)).containsExactly("a", "b");
    ConfigException.all(() -> {});
  }

  private static JsonObject cases() throws IOException {
    try (InputStream file = OptionsTest.class.getResourceAsStream("/shared/durations.json")) {
      return JsonParser.parseReader(new InputStreamReader(file, StandardCharsets.UTF_8))
          .getAsJsonObject();
    }
  }

  // The cases that the Python side is tested with too.

  @Test
  void readsDurations() throws IOException {
    JsonObject read = cases().getAsJsonObject("read");
    assertThat(read.size()).isGreaterThan(10);
    for (String text : read.keySet()) {
      assertThat(Durations.parse(text))
          .as(text)
          .contains(Duration.ofNanos(read.get(text).getAsLong()));
    }
  }

  @Test
  void refusesWhatIsNoDuration() throws IOException {
    for (JsonElement text : cases().getAsJsonArray("refused")) {
      assertThat(Durations.parse(text.getAsString())).as(text.toString()).isEmpty();
    }
  }

  @Test
  void showsThreeDigits() throws IOException {
    for (JsonElement element : cases().getAsJsonArray("shown")) {
      JsonArray pair = element.getAsJsonArray();
      assertThat(Durations.show(pair.get(0).getAsDouble())).isEqualTo(pair.get(1).getAsString());
    }
  }
}
