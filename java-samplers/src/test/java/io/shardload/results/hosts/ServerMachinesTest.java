package io.shardload.results.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.BundleReader;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many of the servers' machines have figures: {@code known/expected}. */
class ServerMachinesTest {
  @TempDir Path directory;
  private BundleFixture bundle;

  @BeforeEach
  void createBundle() {
    bundle = new BundleFixture(directory);
  }

  private String machines(String source, String... hosts) throws IOException {
    List<HostSeries> series =
        Stream.of(hosts)
            .map(host -> new HostSeries(host, "shard", true, 4, Map.of(Figure.CPU, new double[1])))
            .toList();
    bundle.hostMetrics = new HostMetrics(source, "", 1, series, List.of());
    ServerMachines machines = ServerMachines.of(BundleReader.read(bundle.write()));
    return machines.known().size() + "/" + machines.expected();
  }

  private String stored(String... hosts) throws IOException {
    return machines(HostMetrics.STORE, hosts);
  }

  private String local(String... hosts) throws IOException {
    return machines(HostMetrics.LOCAL, hosts);
  }

  private void listed(String hosts) {
    bundle.run.add("server_hosts", BundleFixture.parse("{'of':[" + hosts + "]}").get("of"));
  }

  private static String host(String name, int port) {
    return "{'host':'%s','port':%d,'role':'shard'}".formatted(name, port);
  }

  @Test
  void theListOfTheTargetCounts() throws IOException {
    listed(host("db1", 9100) + "," + host("db2", 9100) + "," + host("db1", 9100));
    assertThat(stored("db1", "db2")).isEqualTo("2/2");
    assertThat(stored("db1")).isEqualTo("1/2");
    assertThat(stored("db1", "db9")).as("another one does not replace it").isEqualTo("2/3");
    assertThat(stored()).isEqualTo("0/0");
  }

  @Test
  void severalExportersBehindOneAddressHaveNamesWithThePort() throws IOException {
    listed(host("db1", 9101) + "," + host("db1", 9102));
    assertThat(stored("db1:9101", "db1:9102")).isEqualTo("2/2");
    assertThat(stored("db1:9101")).isEqualTo("1/2");
  }

  /** The generator's machine has its own name; the target lists another name of it. */
  @Test
  void aLocalMachineMayHaveAnotherNameThanTheTargets() throws IOException {
    listed(host("127.0.0.1", 9100) + "," + host("localhost", 9101));
    assertThat(local("load7")).isEqualTo("1/1");
    listed(host("127.0.0.1", 9100) + "," + host("db2", 9100));
    assertThat(local("load7")).isEqualTo("1/2");
    listed(host("10.9.0.3", 9100) + "," + host("10.9.0.4", 9100));
    assertThat(local("10.9.0.3, 10.9.0.4")).isEqualTo("1/1");
    assertThat(local("10.9.0.3")).isEqualTo("1/2");
  }

  @Test
  void withoutAListTheServersReportsCount() throws IOException {
    assertThat(local("load7")).isEqualTo("1/1");
    bundle.environment.add(
        "server", BundleFixture.parse("{'machines':[{'host':'a'},{'host':'b'},{'host':'c'}]}"));
    assertThat(local("load7")).isEqualTo("1/3");
    assertThat(stored("db1", "db2", "db3", "router")).isEqualTo("4/4");
  }
}
