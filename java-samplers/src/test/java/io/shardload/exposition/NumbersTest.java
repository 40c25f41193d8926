package io.shardload.exposition;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NumbersTest {
  /** Mutations: forget the zeros after the point, or those before the end. */
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "7, 7",
    "1000, 1000",
    "9007199254740992, 9007199254740992",
    "1e19, 9000000000000000000",
    "-1e19, -9000000000000000000",
    "0.5, 0.5",
    "0.000000001, 0.000000001",
    "0.0000000001, 0.0",
    "12.05, 12.05",
    "0.9999999999, 1.0",
    "899999999.25, 899999999.25",
    "1790000065.25, 1790000065.25",
    "-1790000065.25, -1790000065.25",
    "9000000000.25, 9000000000",
    "-0.0015, -0.0015",
    "-3, -3"
  })
  void isPrintedAtTheEndOfItsRoom(double value, String text) {
    byte[] room = "x".repeat(30).getBytes(StandardCharsets.UTF_8);
    Numbers.print(value, room, 5, 5 + Numbers.WIDTH);
    assertThat(new String(room, StandardCharsets.UTF_8))
        .isEqualTo("xxxxx" + " ".repeat(Numbers.WIDTH - text.length()) + text + "xxxxx");
  }
}
