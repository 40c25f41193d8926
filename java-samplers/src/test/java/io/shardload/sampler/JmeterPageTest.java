package io.shardload.sampler;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Driver;
import io.shardload.generator.RunConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** docs/jmeter.md lists the parameters of the Java Request. */
class JmeterPageTest {
  private static final Pattern ROW =
      Pattern.compile("^\\| `([a-z-]+)` \\| (?:`(.*?)`)? ?\\| (.*) \\|$", Pattern.MULTILINE);

  private final String page = read();

  private static String read() {
    try {
      return Files.readString(Path.of("..", "docs", "jmeter.md"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** Turned red by a row taken from the page, and by another default. */
  @Test
  void theTableHasEveryParameterWithItsDefaultInTheirOrder() {
    String section =
        page.substring(page.indexOf("## Parameters"), page.indexOf("## What a sample"));
    Map<String, String> rows = new LinkedHashMap<>();
    Matcher row = ROW.matcher(section);
    while (row.find()) {
      rows.put(row.group(1), row.group(2) == null ? "" : row.group(2));
    }
    assertThat(rows).containsExactlyEntriesOf(Parameters.defaults().getArgumentsAsMap());
  }

  /** Turned red by a driver's name taken from the row. */
  @Test
  void theRowOfTheDriverNamesEachOne() {
    String row = page.lines().filter(line -> line.startsWith("| `driver` |")).findFirst().get();
    assertThat(RunConfig.drivers().stream().map(Driver::name).map(name -> "`" + name + "`"))
        .isNotEmpty()
        .allSatisfy(name -> assertThat(row).contains(name));
  }
}
