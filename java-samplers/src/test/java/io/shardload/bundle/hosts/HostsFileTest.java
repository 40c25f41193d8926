package io.shardload.bundle.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The text of hosts.json: small, and readable by eye. */
class HostsFileTest {
  private static final HostMetrics METRICS =
      new HostMetrics(
          HostMetrics.STORE,
          "http://store",
          1,
          List.of(
              new HostSeries(
                  "db1",
                  "shard",
                  true,
                  4,
                  Map.of(
                      Figure.CPU,
                      new double[] {0.123456789, Double.NaN, 1},
                      Figure.READ_BYTES,
                      new double[] {123456.7, 0, 1.234567e9}))),
          List.of("db2 is missing"));

  private static final String TEXT =
      """
      {
        "source": "store",
        "origin": "http://store",
        "step_seconds": 1.0,
        "hosts": [
          {
            "host": "db1",
            "role": "shard",
            "server": true,
            "cores": 4,
            "figures": {
              "cpu_ratio": [0.12346,null,1.0],
              "read_bytes_per_second": [123460.0,0.0,1.2346E9]
            }
          }
        ],
        "missing": [
          "db2 is missing"
        ]
      }
      """;

  private static HostMetrics read(String text) throws IOException {
    return HostsFile.read(new StringReader(text));
  }

  @Test
  void aFigureIsALineOfRoundedValues() throws IOException {
    StringWriter out = new StringWriter();
    HostsFile.write(METRICS, out);
    assertThat(out).hasToString(TEXT);
  }

  @Test
  void readsWhatItWrote() throws IOException {
    HostMetrics metrics = read(TEXT);
    assertThat(metrics.source()).isEqualTo("store");
    assertThat(metrics.origin()).isEqualTo("http://store");
    assertThat(metrics.missing()).containsExactly("db2 is missing");
    HostSeries host = metrics.servers().get(0);
    assertThat(host.name()).isEqualTo("db1 (shard)");
    assertThat(host.cores()).isEqualTo(4);
    assertThat(host.values().get(Figure.CPU)).containsExactly(0.12346, Double.NaN, 1);
    assertThat(host.values()).containsOnlyKeys(Figure.CPU, Figure.READ_BYTES);
  }

  @Test
  void ignoresWhatItDoesNotKnow() throws IOException {
    HostMetrics metrics =
        read(
            "{\"step_seconds\": 2, \"later\": {}, \"hosts\": [{\"host\": \"a\","
                + " \"figures\": {\"later_ratio\": [1], \"cpu_ratio\": []}}]}");
    assertThat(metrics.source()).isEqualTo("local");
    assertThat(metrics.hosts().get(0).name()).isEqualTo("a (generator)");
    assertThat(metrics.hosts().get(0).values()).isEmpty();
  }

  @Test
  void aFileOfAnotherKindIsRefused() {
    assertThatThrownBy(() -> read("{}")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> read("[]")).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> read("{\"step_seconds\": 1")).isInstanceOf(IOException.class);
  }
}
