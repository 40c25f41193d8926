package io.shardload.workload.statements.folder;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FolderTest {
  private static final List<String> POSTGRESQL = List.of("citus", "postgresql");

  private static final String HASH =
      "d0eeb3b5d6da5968526a8ad3ab488c16282e7def30c9c967be3d0e1b89210b4b";

  @TempDir private Path temporary;
  private Path shop;

  @BeforeEach
  void makeFolder() throws IOException {
    shop = temporary.resolve("shop");
    write("workload.yml", "workload: {name: shop}\n");
    write("cities.csv", "city\nOslo\n");
    write("schema/postgresql.sql", "create table t (a int);\nalter table t add b int");
    write("schema/citus.sql", "create table t (a int); select create_distributed_table('t', 'a')");
    write("schema/mongodb.json", "{\"collections\": [{\"name\": \"t\"}]}");
    write("transactions/find-it/postgresql.sql", "select :a\n-- variant\nselect :b, :a");
    write("transactions/find-it/mongodb.json", "{\"find\": \"t\"}");
    write("transactions/add/citus.sql", "insert into t values (:a)");
    write("transactions/add/postgresql.sql", "insert into t values (:b)");
    write("checks/sums/postgresql.sql", "select 1; select :done_add");
    write("queries/city_name/postgresql.sql", "select city from cities");
  }

  @Test
  void readsFilesOfSystemsAndTheirFallbacks() {
    Folder folder = Folder.read(shop, List.of("citus"), Switches.NONE);
    assertThat(folder.path()).isEqualTo(shop);
    assertThat(folder.names("transactions")).containsExactly("add", "find-it");
    assertThat(folder.names("checks")).containsExactly("sums");
    assertThat(folder.names("queries")).containsExactly("city_name");
    assertThat(folder.variants("transactions", "add", "citus").orElseThrow())
        .isEqualTo(List.of(List.of(sql("add/citus.sql", "insert into t values (", "a", ")"))));
    assertThat(folder.variants("transactions", "add", "postgresql").orElseThrow())
        .isEqualTo(List.of(List.of(sql("add/postgresql.sql", "insert into t values (", "b", ")"))));
    assertThat(folder.variants("transactions", "find-it", "citus").orElseThrow()).hasSize(2);
    assertThat(folder.variants("checks", "sums", "citus").orElseThrow().get(0)).hasSize(2);
    assertThat(folder.schema("citus")).hasSize(2);
    assertThat(folder.used("transactions", "find-it", "citus")).containsExactly("a", "b");
    assertThat(folder.variants("transactions", "find-it", "mongodb")).isEmpty();
    assertThat(folder.variants("transactions", "find", "citus")).isEmpty();
    assertThat(folder.all().keySet()).containsExactly("citus", "postgresql");
    assertThat(folder.all().get("citus")).hasSize(3);
  }

  @Test
  void readsCollectionsAsStatements() {
    Folder folder = Folder.read(shop, List.of(), Switches.NONE);
    assertThat(folder.all().keySet()).containsExactly("citus", "mongodb", "postgresql");
    Statement create = folder.schema("ferretdb").get(0);
    assertThat(create).isInstanceOf(CommandStatement.class);
    assertThat(((CommandStatement) create).verb()).isEqualTo("create");
    assertThat(((CommandStatement) create).collection()).isEqualTo("t");
    assertThat(((CommandStatement) create).command()).hasToString("{\"name\":\"t\"}");
    assertThat(create.writes()).isTrue();
  }

  /** The literal is what the command in the javadoc of {@link Folder} prints for this folder. */
  @Test
  void hashIsThatOfSha256sum() throws IOException {
    assertThat(Folder.read(shop, POSTGRESQL, Switches.NONE).hash()).isEqualTo(HASH);
    write("README.md", "words");
    write(".git/config", "hidden");
    write("transactions/add/.postgresql.sql.swp", "hidden");
    write("transactions/add/postgresql.sql~", "old");
    assertThat(Folder.read(shop, POSTGRESQL, Switches.NONE).hash()).isEqualTo(HASH);
    write("cities.csv", "city\nOslo\nBergen\n");
    assertThat(Folder.read(shop, POSTGRESQL, Switches.NONE).hash()).isNotEqualTo(HASH);
    write("cities.csv", "city\nOslo\n");
    Files.move(shop.resolve("cities.csv"), shop.resolve("city.csv"));
    assertThat(Folder.read(shop, POSTGRESQL, Switches.NONE).hash()).isNotEqualTo(HASH);
  }

  @Test
  void allProblemsComeAtOnce() throws IOException {
    write("notes.txt", "");
    write("transaction/x/postgresql.sql", "select 1");
    write("transactions/postgresql.sql", "select 1");
    write("transactions/Add/postgresql.sql", "select 1");
    write("transactions/empty/README.md", "");
    write("transactions/x/postgres.sql", "select 1");
    write("transactions/x/mongodb.sql", "select 1");
    write("transactions/x/deep/postgresql.sql", "select 1");
    write("queries/city-name/postgresql.sql", "select 1");
    write("transactions/add/postgresql.sql", "\nselect $1;\n\ntruncate t");
    write("transactions/add/citus.sql", " \n");
    write("checks/sums/postgresql.sql", "copy t to stdout");
    assertThat(problems(POSTGRESQL))
        .containsExactly(
            "shop/notes.txt: unknown file \"notes.txt\"; known are workload.yml, README.md, *.csv",
            "shop/queries/city-name/: a name must consist of a-z, 0-9 and _, and must"
                + " begin with a letter",
            "shop/transaction/: unknown folder \"transaction\"; did you mean \"transactions\"?",
            "shop/transactions/Add/: a name must consist of a-z, 0-9 and -, and must"
                + " begin with a letter",
            "shop/transactions/empty/: the folder has no statement file; known are"
                + " citus.sql, ferretdb.json, mariadb.sql, mongodb.json, postgresql.sql",
            "shop/transactions/postgresql.sql: the file must be in a folder, such as"
                + " transactions/name/postgresql.sql",
            "shop/transactions/x/deep/: a folder is not allowed here",
            "shop/transactions/x/mongodb.sql: unknown file \"mongodb.sql\";"
                + " did you mean \"mongodb.json\"?",
            "shop/transactions/x/postgres.sql: unknown file \"postgres.sql\";"
                + " did you mean \"postgresql.sql\"?",
            "shop/checks/sums/postgresql.sql:1: unknown statement \"copy\"; known are delete,"
                + " insert, merge, select, table, update, values",
            "shop/transactions/add/citus.sql:1: the file is empty",
            "shop/transactions/add/postgresql.sql:2: $1 has no name: write :name,"
                + " a parameter of workload.yml",
            "shop/transactions/add/postgresql.sql:4: unknown statement \"truncate\"; known are"
                + " delete, insert, merge, select, table, update, values");
  }

  @Test
  void aSchemaMakesTablesAndNothingElse() throws IOException {
    write(
        "schema/postgresql.sql",
        "create table t (a int);\ndrop table t;\ninsert into t values (1);\nselect :a;\ncopy t\n"
            + "-- variant\nselect 1");
    write(
        "schema/mongodb.json",
        "{\"collections\": [{\"name\": \"t\", \"shardkey\": {\"a\": 1}},\n{\"name\": \"t\","
            + " \"indexes\": [\n{\"key\": {}}]}, {\"name\": \"u\", \"unique-shard-key\": true}]}");
    assertThat(problems(List.of()))
        .containsExactly(
            "shop/schema/mongodb.json:1: unknown field of a collection \"shardkey\";"
                + " did you mean \"shard-key\"?",
            "shop/schema/mongodb.json:2: two objects have the name \"t\"",
            "shop/schema/mongodb.json:3: the index has no \"name\"",
            "shop/schema/mongodb.json:3: an index must have a \"key\" with fields",
            "shop/schema/mongodb.json:3: \"unique-shard-key\" requires \"shard-key\"",
            "shop/schema/postgresql.sql:1: a schema must not have variants",
            "shop/schema/postgresql.sql:2: a schema must not drop anything: --recreate"
                + " drops its tables",
            "shop/schema/postgresql.sql:3: a schema must not write rows: define them in"
                + " workload.data.tables",
            "shop/schema/postgresql.sql:4: a schema must not have parameters: :a",
            "shop/schema/postgresql.sql:5: unknown statement of a schema \"copy\";"
                + " known are alter, comment, create, do, grant, select, set");
  }

  @Test
  void howACollectionIsSpreadIsRead() throws IOException {
    String collections =
        "{\"collections\": [{\"name\": \"t\", \"shard-key\": {\"a\": %s}, \"zones\": [\n%s]},\n"
            + "{\"name\": \"u\", \"initial-chunks\": %s}]}";
    String zone = "{\"zone\": \"eu\", \"shards\": [\"rs1\"], \"from\": 3}";
    write("schema/mongodb.json", collections.formatted("1", zone, "4, \"shard-key\": {\"a\": 1}"));
    assertThat(refusalOf(() -> Folder.read(shop, List.of(), Switches.NONE))).isNull();
    write(
        "schema/mongodb.json",
        collections.formatted(
            "\"hashed\"",
            zone + ",\n{\"zone\": \"us\", \"shards\": \"rs1\", \"til\": 3}",
            "\"4\""));
    assertThat(problems(List.of()))
        .containsExactly(
            "shop/schema/mongodb.json:2: zones are ranges, but a hashed shard key scatters the"
                + " values",
            "shop/schema/mongodb.json:3: unknown field of a zone \"til\"; did you mean \"to\"?",
            "shop/schema/mongodb.json:3: a zone must have the name \"zone\" and a list \"shards\" of"
                + " names",
            "shop/schema/mongodb.json:3: zones are ranges, but a hashed shard key scatters the"
                + " values",
            "shop/schema/mongodb.json:4: \"initial-chunks\" must be a whole number",
            "shop/schema/mongodb.json:4: \"initial-chunks\" requires \"shard-key\"");
  }

  @Test
  void whatStandsInFilesOfOtherSystemsIsNotRead() throws IOException {
    write("transactions/add/mongodb.json", "{");
    assertThat(Folder.read(shop, POSTGRESQL, Switches.NONE).names("transactions")).contains("add");
    assertThat(problems(List.of("ferretdb")))
        .containsExactly("shop/transactions/add/mongodb.json:1: expected a key in double quotes");
  }

  @Test
  void onlyUtf8IsRead() throws IOException {
    write("transactions/add/postgresql.sql", "\uFEFFselect 'Ø' where :a");
    assertThat(
            Folder.read(shop, POSTGRESQL, Switches.NONE).used("transactions", "add", "postgresql"))
        .containsExactly("a");
    Files.write(
        shop.resolve("transactions/add/postgresql.sql"),
        "select 'Ø'".getBytes(StandardCharsets.ISO_8859_1));
    assertThat(problems(POSTGRESQL))
        .containsExactly(
            "shop/transactions/add/postgresql.sql:1: the file is not encoded in UTF-8");
  }

  @Test
  void aFolderThatIsNotThereIsNamed() {
    shop = temporary.resolve("nowhere");
    assertThat(problems(POSTGRESQL)).containsExactly("there is no such folder: " + shop);
  }

  private static SqlStatement sql(String file, String before, String name, String after) {
    return new SqlStatement(
        new Place("transactions/" + file, 1),
        List.of(before, after),
        List.of(name),
        "insert",
        true);
  }

  private List<String> problems(List<String> systems) {
    return refusalOf(() -> Folder.read(shop, systems, Switches.NONE)).problems().stream()
        .map(Throwable::getMessage)
        .toList();
  }

  private void write(String name, String text) throws IOException {
    Path file = shop.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
