package io.shardload.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.shardload.bundle.BundleFixture;
import io.shardload.compare.CompareVerb;
import io.shardload.driver.Target;
import io.shardload.driver.Target.Move;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.driver.TestMongo;
import io.shardload.embedded.EmbeddedPostgres;
import io.shardload.embedded.PostgresSettings;
import io.shardload.workload.CallFailure;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
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

  private static final Move MOVE =
      new Move(Instant.parse("2026-11-22T10:00:12Z"), "s0", "s1", "a to b");

  private CallFailure refusal;

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
      assertThat(environment(bundle).get("durability"))
          .isEqualTo(
              BundleFixture.parse(
                  "{'level': 'one disk', 'words':"
                      + " 'synchronous_commit=remote_write, no synchronous standby'}"));
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
        .isEqualTo(BundleFixture.parse("{'shards': 1, 'members': 1, 'routers': 0}"));
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
        .isEqualTo(BundleFixture.parse("{'db1:5432': 3, 'db2:5432': 9}"));
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
        .isEqualTo(BundleFixture.parse("{'shards': 1, 'members': 1, 'routers': 0}"));
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
    return BundleFixture.read(bundle.resolve(file));
  }

  private static JsonElement text(String value) {
    return JsonParser.parseString('"' + value + '"');
  }

  private JsonObject after(Optional<List<Move>> moves) throws Exception {
    Files.writeString(temporary.resolve("environment.json"), "{\"server\": {\"name\": \"x\"}}");
    Path latencies = Files.createDirectories(temporary.resolve("latencies"));
    ledger(latencies.resolve("generator-0.jsonl"), 5_000, 9_000);
    ledger(latencies.resolve("generator-1.jsonl"), 4_000, 8_000);
    Target target =
        (Target)
            Proxy.newProxyInstance(
                Target.class.getClassLoader(),
                new Class<?>[] {Target.class},
                (proxy, method, arguments) -> {
                  assertThat(method.getName()).isEqualTo("moves");
                  assertThat(arguments)
                      .containsExactly(Instant.ofEpochMilli(4_000), Instant.ofEpochMilli(9_000));
                  if (refusal != null) {
                    throw refusal;
                  }
                  return moves;
                });
    Environment.addAfterRun(temporary, target);
    return server(temporary);
  }

  private static void ledger(Path file, long first, long last) throws Exception {
    Files.writeString(
        file,
        "{'seq':1,'epoch_ms':%d}\n{'seq':2,'epoch_ms':%d}\n{'final':true}\n"
            .formatted(first, last)
            .replace('\'', '"'));
  }

  // What the servers moved between the first and the last line of the generators.

  @Test
  void movesAreAdded() throws Exception {
    assertThat(after(Optional.of(List.of(MOVE))))
        .isEqualTo(
            BundleFixture.parse(
                "{'name':'x','moves':[{'at':'2026-11-22T10:00:12Z','from':'s0','to':'s1',"
                    + "'chunk':'a to b'}]}"));
  }

  @Test
  void noneIsNotTheSameAsNotKnown() throws Exception {
    assertThat(after(Optional.of(List.of())))
        .isEqualTo(BundleFixture.parse("{'name':'x','moves':[]}"));
    assertThat(after(Optional.empty())).isEqualTo(BundleFixture.parse("{'name':'x'}"));
    refusal = new CallFailure("not-allowed", true, false, "not authorized on config");
    assertThat(after(Optional.empty()))
        .isEqualTo(BundleFixture.parse("{'name':'x','moves_unknown':'not authorized on config'}"));
  }

  // An option that is left to its default and one that names the default are the same setting:
  // environment.json has its value in both, and compare goes by that.

  @Test
  void aDefaultOfPostgresqlIsTheValueThatItStandsFor() throws Exception {
    Path left = bundle("left", postgresql("{}"), "{}");
    String defaults =
        "{'index': 'hash', 'document-storage': 'toast-compressed', 'compression': 'pglz',"
            + " 'distribution': 'none', 'checkpoint-after-load': 'false'}";
    Path named = bundle("named", postgresql("{'connect-timeout': '5000ms'}"), defaults);
    Path other = bundle("other", postgresql("{}"), "{'index': 'btree'}");

    String golden =
        "{'colocate-with': 'default', 'compression': 'pglz', 'distribution': 'none',"
            + " 'document-storage': 'toast-compressed', 'index': 'hash', 'replication-factor': '1',"
            + " 'shard-count': '0'}";
    assertThat(schema(left)).isEqualTo(BundleFixture.parse(golden));
    assertThat(schema(named)).isEqualTo(BundleFixture.parse(golden));
    assertThat(differences(left, named)).isEmpty();
    assertThat(differences(left, other))
        .containsExactly(
            "schema: the indexes, storage or distribution differ: A index hash; B index btree");
  }

  @Test
  void aDefaultOfMongodbIsTheValueThatItStandsFor() throws Exception {
    Path left = bundle("left", mongodb("{}"), "{}");
    String timeout = "{'server-selection-timeout': '5s', 'connect-timeout': '5000ms'}";
    Path named = bundle("named", mongodb(timeout), "{'index': 'hashed'}");
    Path other = bundle("other", mongodb("{}"), "{'index': 'ascending'}");

    JsonObject golden =
        BundleFixture.parse("{'index': 'hashed', 'initial-chunks': '0', 'shard-key': 'hashed'}");
    assertThat(schema(left)).isEqualTo(golden);
    assertThat(schema(named)).isEqualTo(golden);
    assertThat(differences(left, named)).isEmpty();
    assertThat(differences(left, other))
        .containsExactly(
            "schema: the indexes, storage or distribution differ: A index hashed; B index"
                + " ascending");
  }

  /** What both drivers have is in one form. */
  @Test
  void settingsOfTwoDriversAreToldInOneForm() throws Exception {
    JsonObject one = environment(bundle("one", postgresql("{}"), "{}")).getAsJsonObject("client");
    JsonObject other = environment(bundle("other", mongodb("{}"), "{}")).getAsJsonObject("client");
    for (String key :
        List.of(
            "connections", "pool-size", "connect-timeout", "statement-timeout", "socket-timeout")) {
      assertThat(one.get(key)).as(key).isNotNull().isEqualTo(other.get(key));
    }
  }

  private static String postgresql(String options) {
    return Asked.target(TestDatabases.fresh(), "")
        .replace("'options': {}", "'options': " + options);
  }

  private static String mongodb(String options) {
    return "{'driver': 'mongodb', 'url': '%s', 'options': %s}"
        .formatted(TestMongo.fake().url(), options);
  }

  /** A bundle with the environment of a real run's begin, and a second of made-up results. */
  private Path bundle(String name, String target, String schema) throws Exception {
    Path directory = Files.createDirectories(temporary.resolve(name));
    try (Asked child = new Asked(target, DATA, directory).with("schema", schema)) {
      upToBegin(child);
    }
    BundleFixture bundle = new BundleFixture(directory).segment("hold", "hold", 1, 100);
    bundle.run.add("schema", BundleFixture.parse(schema));
    bundle.environment = environment(directory);
    bundle.generator(0).done(0, "hold", "update", 100);
    return bundle.write();
  }

  private static JsonObject schema(Path bundle) throws Exception {
    JsonObject schema = environment(bundle).getAsJsonObject("schema");
    schema.remove("measured-compression-ratio");
    return schema;
  }

  /** What {@code compare} calls not comparable. */
  private List<String> differences(Path... bundles) throws Exception {
    JsonArray runs = new JsonArray();
    for (Path bundle : bundles) {
      JsonObject run = new JsonObject();
      run.addProperty("bundle", bundle.toString());
      runs.add(run);
    }
    JsonObject request = new JsonObject();
    request.addProperty("directory", temporary.toString());
    request.add("runs", runs);
    String mark = "NOT COMPARABLE  ";
    return BundleFixture.texts(CompareVerb.run(request), "lines").stream()
        .filter(line -> line.startsWith(mark))
        .map(line -> line.substring(mark.length()))
        .toList();
  }
}
