package io.shardload.workload.statements.parameters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.workload.statements.port.ValueType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** RFC 4180, and the message for every other text. */
class CsvTest {
  @TempDir Path folder;

  private Csv csv(String text) throws Exception {
    Path file = folder.resolve("x.csv");
    Files.writeString(file, text);
    return Csv.read(file, "shop/x.csv");
  }

  private List<Object> values(String text, String column) throws Exception {
    return csv(text).values(column, ValueType.TEXT).values();
  }

  /** Mutation: a doubled quote ends the field. */
  @Test
  void quotesCommasAndLineBreaks() throws Exception {
    String text = "\uFEFFa,b\r\n1,\"x,\"\"y\"\"\"\r\n,\"two\nlines\"\r\n\"\", z \r\n";
    assertThat(values(text, "a")).containsExactly("1", "", "");
    assertThat(values(text, "b")).containsExactly("x,\"y\"", "two\nlines", " z ");
    assertThat(csv(text).columns()).containsExactly("a", "b");
    assertThat(values("a\nlast", "a")).containsExactly("last");
    assertThat(values("a\n\"\"\nb\n\n\n", "a")).containsExactly("", "b");
  }

  private void refused(String text, String... lines) {
    assertThatThrownBy(() -> csv(text).values("a", ValueType.INTEGER))
        .isInstanceOf(ConfigException.class)
        .satisfies(
            e ->
                assertThat(((ConfigException) e).problems())
                    .extracting(Throwable::getMessage)
                    .containsExactly(lines));
  }

  /** Mutation: lines are counted by records, although a field may hold several. */
  @Test
  void whatIsWrongIsToldWithItsLine() {
    refused("", "shop/x.csv:1: the file is empty; its first line names columns");
    refused("a,b\n", "shop/x.csv:1: the file has no line of values after the header");
    refused("a,a\n1,2\n", "shop/x.csv:1: column \"a\" occurs twice");
    refused("a,\n1,2\n", "shop/x.csv:1: column 2 has no name");
    refused("a\n1\n\n2\n", "shop/x.csv:3: the line is empty; an empty value is written as \"\"");
    refused("a,b\n1,\"x\ny\"\n3\n", "shop/x.csv:4: has 1 field; the header has 2");
    refused("a\n1\n\"2", "shop/x.csv:3: the closing quote of a field is missing");
    refused("a\n1\n\"2\"3\n", "shop/x.csv:3: text follows the closing quote of a field");
    refused("a\n1\"\n", "shop/x.csv:2: a field contains a quote but does not begin with a quote");
    refused(
        "a\n1\nx\n 3 \n9223372036854775808\n",
        "shop/x.csv:3: \"x\" in column a is not an integer",
        "shop/x.csv:5: \"9223372036854775808\" in column a is not an integer");
    refused(
        "a\n" + "x\n".repeat(9),
        "shop/x.csv:2: \"x\" in column a is not an integer",
        "shop/x.csv:3: \"x\" in column a is not an integer",
        "shop/x.csv:4: \"x\" in column a is not an integer",
        "shop/x.csv:5: \"x\" in column a is not an integer",
        "shop/x.csv:6: \"x\" in column a is not an integer",
        "shop/x.csv: 4 more lines are wrong");
  }

  @Test
  void otherEncodingsAreRefused() throws Exception {
    Path file = folder.resolve("latin.csv");
    Files.write(file, new byte[] {'a', '\n', (byte) 0xe9, '\n'});
    assertThatThrownBy(() -> Csv.read(file, "shop/latin.csv"))
        .hasMessage("shop/latin.csv: the file is not encoded in UTF-8");
  }

  @Test
  void textIsReadAsEachType() {
    UUID uuid = UUID.fromString("f33dc6bd-55ff-486b-a133-2a7db412c5a9");
    assertThat(Conversion.read(" 42 ", ValueType.INTEGER)).contains(42L);
    assertThat(Conversion.read("1.50", ValueType.DECIMAL)).contains(new BigDecimal("1.50"));
    assertThat(Conversion.read("1e400000000", ValueType.DECIMAL)).isEmpty();
    assertThat(Conversion.read(" 42 ", ValueType.TEXT)).contains(" 42 ");
    assertThat(Conversion.read(uuid.toString().toUpperCase(java.util.Locale.ROOT), ValueType.UUID))
        .contains(uuid);
    assertThat(Conversion.read("1-2-3-4-5", ValueType.UUID)).isEmpty();
    assertThat(Conversion.read("TRUE", ValueType.BOOLEAN)).contains(true);
    assertThat(Conversion.read("yes", ValueType.BOOLEAN)).isEmpty();
    assertThat(Conversion.read("2026-01-31T12:00:00.123456Z", ValueType.TIMESTAMP))
        .contains(Instant.parse("2026-01-31T12:00:00.123456Z"));
    assertThat(Conversion.read("2026-01-31 12:00:00", ValueType.TIMESTAMP))
        .contains(Instant.parse("2026-01-31T12:00:00Z"));
    assertThat(Conversion.read("2026-02-30", ValueType.TIMESTAMP)).isEmpty();
  }

  /** Mutation: an integer that loses digits. */
  @Test
  void whatDriversReturnKeepsItsValueOrIsRefused() {
    assertThat(Conversion.of(7, ValueType.INTEGER)).contains(7L);
    assertThat(Conversion.of(new BigInteger("7"), ValueType.INTEGER)).contains(7L);
    assertThat(Conversion.of(7.5, ValueType.INTEGER)).isEmpty();
    assertThat(Conversion.of(Double.NaN, ValueType.DECIMAL)).isEmpty();
    assertThat(Conversion.of(0.1, ValueType.DECIMAL)).contains(new BigDecimal("0.1"));
    assertThat(Conversion.of(7L, ValueType.TEXT)).contains("7");
    assertThat(Conversion.of(true, ValueType.TEXT)).isEmpty();
    assertThat(Conversion.of(new BigDecimal("1E+3"), ValueType.TEXT)).contains("1000");
    assertThat(Conversion.of(new BigDecimal("1E-7"), ValueType.TEXT)).contains("0.0000001");
    // The server writes 1 and 10000000000.
    assertThat(Conversion.of(1.0, ValueType.TEXT)).isEmpty();
    assertThat(Conversion.of(1e10f, ValueType.TEXT)).isEmpty();
    assertThat(Conversion.of(Instant.parse("2026-01-31T12:00:00.123457Z"), ValueType.TIMESTAMP))
        .contains(Instant.parse("2026-01-31T12:00:00.123457Z"));
    assertThat(Conversion.of(OffsetDateTime.MAX, ValueType.TIMESTAMP)).isEmpty();
    assertThat(Conversion.of("false", ValueType.BOOLEAN)).contains(false);
    assertThat(Conversion.of(OffsetDateTime.parse("2026-01-31T13:00+01:00"), ValueType.TIMESTAMP))
        .contains(Instant.parse("2026-01-31T12:00:00Z"));
    assertThat(Conversion.of(new Object(), ValueType.UUID)).isEmpty();
  }
}
