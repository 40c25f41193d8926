package io.shardload.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said aloud of servers that are not alike: their settings and their hardware. */
class ServersComparedTest {
  private static final String LOUD = "NOT COMPARABLE  ";
  private static final String SETTINGS = "server settings: the same server behaves differently: ";
  private static final String HARDWARE =
      "hardware of the servers: the hardware changes the times: ";

  @TempDir Path directory;
  private ExampleComparison example;
  private Path plain;

  @BeforeEach
  void plainRun() throws IOException {
    example = new ExampleComparison(directory.resolve("runs"), 11, 1);
    plain = example.run("a", 2, 0);
  }

  /** The lines on what is not comparable, without their mark. */
  private List<String> told(ExampleComparison.Change change) throws IOException {
    return told(List.of(plain, example.run("b", 2, 0, change)));
  }

  private List<String> told(List<Path> bundles) throws IOException {
    JsonObject request = ExampleComparison.request(directory, bundles);
    JsonArray lines = CompareVerb.run(request).getAsJsonArray("lines");
    return lines.asList().stream()
        .map(line -> line.getAsString())
        .filter(line -> line.startsWith(LOUD))
        .map(line -> line.substring(LOUD.length()))
        .toList();
  }

  /** Settings of the same product; of two products no setting is the same. */
  @Test
  void comparesServersOfOneProduct() throws IOException {
    plain = example.run("a", 2, 0, server("S", "1", "{'cache':'1GB','jit':'on','old':1}"));
    assertThat(told(server("S", "1", "{'cache':'9GB','jit':'on'}")))
        .containsExactly(SETTINGS + "A S.cache 1GB; B S.cache 9GB");
    assertThat(told(server("S", "2", "{'cache':'1GB'}")))
        .containsExactly(SETTINGS + "A S.version 1; B S.version 2");
    assertThat(told(server("T", "1", "{'cache':'9GB','jit':'on'}"))).isEmpty();
  }

  /** A third product does not hide in what the other two differ. */
  @Test
  void comparesThoseOfOneProductAmongOthers() throws IOException {
    Path small = example.run("a", 2, 0, server("S", "1", "{'cache':'1GB'}"));
    Path large = example.run("b", 2, 0, server("S", "1", "{'cache':'9GB'}"));
    Path another = example.run("c", 2, 0, server("T", "1", "{'cache':'5GB'}"));
    assertThat(told(List.of(small, large, another)))
        .containsExactly(SETTINGS + "A S.cache 1GB; B S.cache 9GB; C S.cache -");
  }

  /** What one changed and the other left at its default; the port is no setting of that kind. */
  @Test
  void comparesWhatServersOfOneProductHaveChanged() throws IOException {
    plain = example.run("a", 2, 0, changed("S", "{'limit':'9','port':'1'}"));
    assertThat(told(changed("S", "{'limit':'9','port':'2'}"))).isEmpty();
    assertThat(told(changed("S", "{'limit':'9','scans':'off','sleep':'1d'}")))
        .containsExactly(
            SETTINGS
                + "A S.changed.scans -, S.changed.sleep -;"
                + " B S.changed.scans off, S.changed.sleep 1d");
    assertThat(told(changed("S", "{}")))
        .containsExactly(SETTINGS + "A S.changed.limit 9; B S.changed.limit -");
    assertThat(told(changed("T", "{'scans':'off'}"))).isEmpty();
    assertThat(told(server("S", "1", "{}"))).as("it does not tell what was changed").isEmpty();
  }

  @Test
  void aSettingThatIsListedAndChangedIsSaidOnce() throws IOException {
    plain = example.run("a", 2, 0, server("S", "1", "{'cache':'1GB'}", "{}"));
    assertThat(told(server("S", "1", "{'cache':'9GB'}", "{'cache':'9GB'}")))
        .containsExactly(SETTINGS + "A S.cache 1GB; B S.cache 9GB");
  }

  /**
   * Of the machines that hold documents; neither their names nor their kernels make them differ.
   */
  @Test
  void comparesTheHardwareOfTheServers() throws IOException {
    long gib = 1L << 30;
    String small = machine("h1", true, 2, 16 * gib, "6.1");
    String alike = machine("h2", true, 2, 16 * gib - 4096, "6.18");
    String router = machine("h3", false, 64, gib, "6.1");
    plain = example.run("a", 2, 0, machines(small));
    assertThat(told(machines(alike + "," + router))).isEmpty();
    assertThat(told(machines(machine("h1", true, 128, 1024 * gib, "6.1"))))
        .containsExactly(HARDWARE + "A X, 2 CPUs, 16.0 GiB; B X, 128 CPUs, 1.00 TiB");
    assertThat(told(machines(small + "," + alike)))
        .containsExactly(HARDWARE + "A X, 2 CPUs, 16.0 GiB; B 2 of X, 2 CPUs, 16.0 GiB");
    for (String untold : List.of("", machine("h1", true, 0, 0, "").replace("X", ""))) {
      assertThat(told(machines(untold)))
          .containsExactly(HARDWARE + "A X, 2 CPUs, 16.0 GiB; B not known");
    }
  }

  private static String machine(
      String host, boolean holdsDocuments, int cpus, long ramBytes, String kernel) {
    return "{'host':'%s','holds_documents':%s,'cpu':'X','cpus':%d,'ram_bytes':%d,'kernel':'%s'}"
        .formatted(host, holdsDocuments, cpus, ramBytes, kernel);
  }

  private static ExampleComparison.Change machines(String list) {
    return bundle ->
        bundle
            .environment
            .getAsJsonObject("server")
            .add("machines", BundleFixture.parse("{'of':[" + list + "]}").get("of"));
  }

  private static ExampleComparison.Change changed(String name, String changed) {
    return server(name, "1", "{}", changed);
  }

  private static ExampleComparison.Change server(
      String name, String version, String settings, String changed) {
    return bundle -> {
      server(name, version, settings).apply(bundle);
      bundle
          .environment
          .getAsJsonObject("server")
          .add("changed_settings", BundleFixture.parse(changed));
    };
  }

  private static ExampleComparison.Change server(String name, String version, String settings) {
    return bundle -> {
      JsonObject server = bundle.environment.getAsJsonObject("server");
      server.addProperty("name", name);
      server.addProperty("version", version);
      server.add("settings", BundleFixture.parse(settings));
    };
  }
}
