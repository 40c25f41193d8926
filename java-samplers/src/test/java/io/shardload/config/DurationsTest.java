package io.shardload.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The cases that the Python side is tested with too. */
class DurationsTest {
  private static JsonObject cases() throws IOException {
    try (InputStream file = DurationsTest.class.getResourceAsStream("/shared/durations.json")) {
      return JsonParser.parseReader(new InputStreamReader(file, StandardCharsets.UTF_8))
          .getAsJsonObject();
    }
  }

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
