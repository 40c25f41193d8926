package io.shardload.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.driver.TestMongo;
import io.shardload.embedded.EmbeddedPostgres;
import io.shardload.embedded.PostgresSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code environment.json} says is what hand-written SQL has set, and never a secret. */
class EnvironmentTest {
  private static final String SECRET = "geheim-4711";
  private static final String DATA = "{'documents': 100, 'tenants': 5}";

  /** Settings that hold secrets, or may. */
  private static final List<String> WITH_SECRETS =
      List.of(
          "primary_conninfo = 'host=standby user=replicator password=" + SECRET + "'",
          "archive_command = 'curl -H token:" + SECRET + " -T %p'",
          "restore_command = 'fetch --key " + SECRET + "'",
          "ssl_passphrase_command = 'echo " + SECRET + "'",
          "log_line_prefix = '" + SECRET + "'",
          "my.token = '" + SECRET + "'");

  @TempDir private Path temporary;

  @Test
  void whatWasChangedIsToldAndSecretsAreNot() throws Exception {
    PostgresSettings plain = PostgresSettings.durable().with("shared_buffers", "48MB");
    try (EmbeddedPostgres server = TestDatabases.server(temporary.resolve("data"), plain)) {
      Database database = TestDatabases.on(server);
      WITH_SECRETS.forEach(setting -> database.execute("ALTER SYSTEM SET " + setting));
      database.execute("ALTER SYSTEM SET random_page_cost = 1.25");
      database.execute("ALTER SYSTEM SET work_mem = '17MB'");
      database.execute("ALTER SYSTEM SET jit = off");
      database.execute("ALTER SYSTEM SET maintenance_work_mem = '64MB'");
      database.execute("ALTER SYSTEM SET synchronous_commit = 'remote_write'");
      database.execute("ALTER DATABASE " + database.name() + " SET enable_nestloop = off");
      database.execute("SELECT pg_reload_conf()");
      awaitReload(database);
      Path bundle = temporary.resolve("bundle");
      Files.createDirectories(bundle);

      runUpToVerification(Asked.of(database, DATA, bundle));

      JsonObject told = server(bundle);
      assertThat(told.get("version").getAsString()).startsWith("18.");
      JsonObject changed = told.getAsJsonObject("changed_settings");
      assertThat(changed.asMap())
          .containsEntry("random_page_cost", text("1.25"))
          .containsEntry("work_mem", text("17MB"))
          .containsEntry("jit", text("off"))
          .containsEntry("enable_nestloop", text("off"))
          .containsEntry("shared_buffers", text("48MB"))
          // Set, but to the default: nothing was changed.
          .doesNotContainKey("maintenance_work_mem")
          // Ours alone.
          .doesNotContainKeys("statement_timeout", "application_name")
          .doesNotContainKeys("primary_conninfo", "archive_command", "my.token");
      assertThat(told.getAsJsonObject("settings").get("work_mem")).isEqualTo(text("17MB"));
      assertThat(told.get("durability").getAsString())
          .startsWith("fsync=on, synchronous_commit=remote_write, full_page_writes=on");
      try (Stream<Path> files = Files.walk(bundle)) {
        assertThat(files.filter(Files::isRegularFile))
            .hasSizeGreaterThanOrEqualTo(2)
            .allSatisfy(file -> assertThat(Files.readString(file)).doesNotContain(SECRET));
      }
    }
  }

  private static void awaitReload(Database database) throws InterruptedException {
    for (int i = 0; i < 6000; i++) {
      if (database.ask("SHOW work_mem").equals(List.of("17MB"))) {
        return;
      }
      Thread.sleep(10);
    }
    throw new AssertionError("the server does not read its configuration again");
  }

  @Test
  void machinesOfServerAndGeneratorAreTold() throws Exception {
    Database database = TestDatabases.fresh();
    runUpToVerification(Asked.of(database, DATA, temporary));
    String kernel = Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip();
    JsonObject machine = server(temporary).getAsJsonArray("machines").get(0).getAsJsonObject();
    assertThat(machine.get("host").getAsString()).isEqualTo("the server");
    assertThat(machine.get("holds_documents").getAsBoolean()).isTrue();
    assertThat(machine.get("kernel").getAsString()).isEqualTo(kernel);
    assertThat(machine.get("ram_bytes").getAsLong()).isPositive();
    long processors = 0;
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      processors = lines.filter(line -> line.startsWith("processor")).count();
    }
    assertThat(machine.get("cpus").getAsLong()).isEqualTo(processors);
    assertThat(server(temporary).get("topology"))
        .isEqualTo(Asked.json("{'shards': 1, 'members': 1, 'routers': 0}"));
    assertThat(server(temporary).has("placement")).isFalse();
    assertThat(environment(temporary).getAsJsonObject("target").asMap())
        .containsEntry("keeps_data", new JsonPrimitive(true))
        .containsEntry("reads_primary", new JsonPrimitive(true));
    JsonObject generator = environment(temporary).getAsJsonObject("generator");
    assertThat(generator.get("os").getAsString()).isEqualTo("Linux " + kernel);
    assertThat(generator.get("cpu").getAsString()).isNotEmpty();
    // Both are this machine.
    if (!machine.get("cpu").getAsString().isEmpty()) {
      assertThat(machine.get("cpu")).isEqualTo(generator.get("cpu"));
    }
  }

  @Test
  void extensionsAndSizesAreTold() throws Exception {
    Database database = TestDatabases.fresh();
    String extension =
        database
            .ask(
                "SELECT name, default_version FROM pg_available_extensions"
                    + " WHERE name <> 'plpgsql' ORDER BY name = 'pg_trgm' DESC, name LIMIT 1")
            .get(0);
    String[] nameAndVersion = extension.split(" ", 2);
    database.execute("CREATE EXTENSION \"" + nameAndVersion[0] + "\"");

    runUpToVerification(Asked.of(database, DATA, temporary));

    assertThat(server(temporary).getAsJsonObject("settings").get("extension " + nameAndVersion[0]))
        .isEqualTo(text(nameAndVersion[1]));
    String sql =
        "SELECT pg_table_size('data_table'), pg_relation_size('data_table_filter4'),"
            + " pg_relation_size('data_table_pkey')";
    JsonObject storage = read(temporary, "evidence.json").getAsJsonObject("storage");
    for (String when : List.of("before", "after")) {
      JsonObject sizes = storage.getAsJsonObject(when);
      JsonObject indexes = sizes.getAsJsonObject("index_bytes");
      assertThat(
              sizes.get("table_bytes")
                  + " "
                  + indexes.get("data_table_filter4")
                  + " "
                  + indexes.get("data_table_pkey"))
          .isEqualTo(database.ask(sql).get(0));
    }
  }

  @Test
  void connectionsByHostAreThoseOfTheGeneratorsLastLines() throws Exception {
    Database database = TestDatabases.fresh();
    try (Asked child = Asked.of(database, DATA, temporary)) {
      upToBegin(child);
      Path latencies = Files.createDirectories(temporary.resolve("latencies"));
      Files.writeString(
          latencies.resolve("generator-0.jsonl"),
          "{'seq': 1}\n{'final':true,'connections':{'db1:5432':3,'db2:5432':5}}\n"
              .replace('\'', '"'));
      Files.writeString(
          latencies.resolve("generator-1.jsonl"),
          "{'final':true,'connections':{'db2:5432':4}}\n".replace('\'', '"'));
      Files.writeString(latencies.resolve("generator-2.jsonl"), "{\"seq\": 1, \"conn");
      assertThat(child.ask("verify").get("bundle").getAsString()).isEqualTo(temporary.toString());
    }
    assertThat(environment(temporary).getAsJsonObject("connections_opened"))
        .isEqualTo(Asked.json("{'db1:5432': 3, 'db2:5432': 9}"));
  }

  @Test
  void ferretdbTellsOnlyWhatIsItsOwn() throws Exception {
    TestMongo.Database database = TestMongo.ferretdb();
    String target = "{'driver': 'mongodb', 'url': '%s', 'options': {}}".formatted(database.url());
    runUpToVerification(
        new Asked(target, DATA, temporary).with("schema", "{'index': 'ascending'}"));
    JsonObject told = server(temporary);
    assertThat(told.get("name").getAsString()).isEqualTo("FerretDB");
    assertThat(told.get("durability").getAsString()).startsWith("the durability of its PostgreSQL");
    assertThat(told.getAsJsonObject("changed_settings").size()).isZero();
    assertThat(told.getAsJsonArray("machines")).isEmpty();
    assertThat(told.get("topology"))
        .isEqualTo(Asked.json("{'shards': 1, 'members': 1, 'routers': 0}"));
  }

  private void runUpToVerification(Asked child) throws Exception {
    try (child) {
      upToBegin(child);
      child.ask("verify");
    }
  }

  private static void upToBegin(Asked child) throws Exception {
    child.settleSize();
    child.ask("schema");
    child.ask("load");
    child.ask("begin");
  }

  private static JsonObject server(Path bundle) throws Exception {
    return environment(bundle).getAsJsonObject("server");
  }

  private static JsonObject environment(Path bundle) throws Exception {
    return read(bundle, "environment.json");
  }

  private static JsonObject read(Path bundle, String file) throws Exception {
    return JsonParser.parseString(Files.readString(bundle.resolve(file))).getAsJsonObject();
  }

  private static JsonElement text(String value) {
    return JsonParser.parseString('"' + value + '"');
  }
}
