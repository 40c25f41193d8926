package io.shardload.workload.statements.port;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ValuesTest {
  @Test
  void numbersAreComparedByValue() {
    assertThat(Values.same(1L, 1L)).isTrue();
    assertThat(Values.same(1L, 1)).isTrue();
    assertThat(Values.same(1L, new BigDecimal("1.00"))).isTrue();
    assertThat(Values.same(0.1, new BigDecimal("0.1"))).isTrue();
    assertThat(Values.same(BigInteger.TEN, 10.0)).isTrue();
    assertThat(Values.same(Double.NaN, Float.NaN)).isTrue();
    assertThat(Values.same(Double.POSITIVE_INFINITY, 1L)).isFalse();
    // As doubles both are 2^53.
    assertThat(Values.same(9007199254740993L, new BigDecimal("9007199254740992"))).isFalse();
  }

  @Test
  void nothingEqualsNullButNull() {
    assertThat(Values.same(null, null)).isTrue();
    assertThat(Values.same(null, 0L)).isFalse();
    assertThat(Values.same("", null)).isFalse();
    assertThat(Values.same("1", 1L)).isFalse();
  }

  @Test
  void whatHoldsValuesIsComparedByThem() {
    assertThat(Values.same(new byte[] {1}, new byte[] {1})).isTrue();
    assertThat(Values.same(List.of(1L), List.of(new BigDecimal("1.0")))).isTrue();
    assertThat(Values.same(List.of(1L), List.of(1L, 2L))).isFalse();
    assertThat(Values.same(Map.of("a", 1L), Map.of("a", 1))).isTrue();
    assertThat(
            Values.same(
                JsonParser.parseString("{\"a\": [1, {\"b\": null}]}"),
                JsonParser.parseString("{\"a\": [1.0, {\"b\": null}]}")))
        .isTrue();
    assertThat(Values.same(JsonParser.parseString("[1]"), JsonParser.parseString("[\"1\"]")))
        .isFalse();
  }
}
