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
import org.apache.jmeter.config.Arguments;
import org.apache.jmeter.protocol.java.sampler.JavaSamplerContext;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.threads.ThreadGroup;
import org.apache.jmeter.util.JMeterUtils;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The Java Request in a JMeter that nobody else configures: what is wrong names its parameter. */
class ParametersTest {
  @TempDir Path directory;

  private static final Pattern ROW =
      Pattern.compile("^\\| `([a-z-]+)` \\| (?:`(.*?)`)? ?\\| (.*) \\|$", Pattern.MULTILINE);

  private final String page = read();

  @BeforeEach
  void beAJmeter() throws IOException {
    Path none = Files.writeString(directory.resolve("jmeter.properties"), "");
    JMeterUtils.loadJMeterProperties(none.toString());
    ThreadGroup group = new ThreadGroup();
    group.setNumThreads(2);
    JMeterContextService.getContext().setThreadGroup(group);
  }

  private SampleResult refused(Map<String, String> parameters) {
    Arguments arguments = new Arguments();
    arguments.addArgument("driver", "noop");
    arguments.addArgument("directory", directory.resolve("bundle").toString());
    // JMeter adds it to the parameters of every Java Request.
    arguments.addArgument("TestElement.name", "mine");
    parameters.forEach(
        (name, value) -> {
          arguments.removeArgument(name);
          arguments.addArgument(name, value);
        });
    JavaSamplerContext context = new JavaSamplerContext(arguments);
    TransactionSampler sampler = new TransactionSampler();
    sampler.setupTest(context);
    SampleResult result = sampler.runTest(context);
    sampler.teardownTest(context);
    return result;
  }

  /** Mutations: ignore unknown parameters; name the key of shardload's own files. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "documents | 5 | unknown parameter \"documents\"; known are config, driver, url, user,"
            + " password-env, target-options, schema, workload, mix, seed, data, samples, directory",
        "usr | x | unknown parameter \"usr\"; did you mean \"user\"?",
        "driver | nop | driver: unknown driver \"nop\"; did you mean \"noop\"?",
        "data | 5 | data: '5' is not a JSON object such as {\"name\": \"value\"}",
        "data | {\"documents\": | data: '{\"documents\":' is not a JSON object such as {\"name\":"
            + " \"value\"}",
        "data | {\"documents\": 0} | data: documents: 0 is too small: the table needs at least one row",
        "data | {\"document-size\": \"5x\"} | data: document-size: '5x' is neither"
            + " a size such as 2KiB nor 'variable'",
        "data | {\"document-bytes\": 5} | data: document-bytes: unknown option \"document-bytes\";"
            + " did you mean \"document-size\"?",
        "schema | [] | schema: '[]' is not a JSON object such as {\"name\": \"value\"}",
        "target-options | {\"jiter\": 1} | target-options: jiter: unknown option \"jiter\"; did you"
            + " mean \"jitter\"?",
        "mix | insert | mix: 'insert' is not name=percent",
        "mix | inser=100 | mix: inser: unknown transaction \"inser\"; did you mean \"insert\"?",
        "mix | insert=50 | mix: percentages sum to 50, not to 100",
        "seed | x | seed: is not a whole number: 'x'",
        "workload | document-stor | workload: unknown workload \"document-stor\"; did you mean"
            + " \"document-store\"?",
        "samples | ech | samples: unknown value \"ech\"; did you mean \"each\"?",
      })
  void messagesNameTheParameter(String name, String value, String message) {
    SampleResult result = refused(Map.of(name, value));
    assertThat(result.getResponseMessage()).isEqualTo(message);
    assertThat(result.getResponseCode()).isEqualTo("refused");
    assertThat(directory.resolve("bundle")).doesNotExist();
  }

  @Test
  void theAddressIsAParameter() {
    Map<String, String> jdbc = Map.of("driver", "postgresql", "url", "jdbc:postgresql://h/db");
    assertThat(refused(jdbc).getResponseMessage())
        .isEqualTo(
            "url: begins with jdbc:postgresql://, not with postgresql://; no JDBC URL is needed:"
                + " write it as postgresql://host:port/database");
    Map<String, String> secret = Map.of("driver", "postgresql", "url", "postgresql://u:p@h/db");
    assertThat(refused(secret).getResponseMessage())
        .isEqualTo(
            "url: holds user-info; set the parameter user and the parameter password-env instead");
  }

  /** Mutation: a bare SampleResult, which JMeter shows at 1970. */
  @Test
  void aRefusedSampleHasATime() {
    long before = System.currentTimeMillis();
    SampleResult result = refused(Map.of("usr", "x"));
    assertThat(result.getStartTime()).isBetween(before, System.currentTimeMillis());
    assertThat(result.getTimeStamp()).isGreaterThanOrEqualTo(before);
    assertThat(result.getEndTime() - result.getStartTime()).isEqualTo(result.getTime());
  }

  private static String read() {
    try {
      return Files.readString(Path.of("..", "docs", "jmeter.md"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  // docs/jmeter.md lists the parameters of the Java Request.

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
