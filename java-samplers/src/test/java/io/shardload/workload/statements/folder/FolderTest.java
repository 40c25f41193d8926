package io.shardload.workload.statements.folder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.config.ConfigException;
import io.shardload.workload.statements.port.SqlStatement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which files of a folder are read, and what is refused. */
class FolderTest {
  private static final List<String> SQL = List.of("citus", "postgresql");

  @TempDir private Path directory;
  private Path shop;

  @BeforeEach
  void make() throws IOException {
    shop = Files.createDirectory(directory.resolve("shop"));
    write("workload.yml", "workload: {name: shop}");
    write("schema/postgresql.sql", "CREATE TABLE t (a int)");
    write("transactions/find-one/postgresql.sql", "SELECT a FROM t");
    write("transactions/find-one/mongodb.json", "{\"find\": \"t\"}");
  }

  private void write(String file, String text) throws IOException {
    Files.createDirectories(shop.resolve(file).getParent());
    Files.writeString(shop.resolve(file), text);
  }

  private String text(Folder folder, String system) {
    return ((SqlStatement)
            folder.variants(Folder.TRANSACTIONS, "find-one", system).orElseThrow().get(0).get(0))
        .with("?");
  }

  @Test
  void aSystemWithoutFilesOfItsOwnHasThoseOfItsFallback() throws IOException {
    Folder folder = Folder.read(shop, SQL);
    assertThat(folder.names(Folder.TRANSACTIONS)).containsExactly("find-one");
    assertThat(folder.names(Folder.CHECKS)).isEmpty();
    assertThat(text(folder, "citus")).isEqualTo("SELECT a FROM t");
    assertThat(folder.schema("citus")).isPresent();
    assertThat(folder.variants(Folder.TRANSACTIONS, "find-one", "ferretdb")).isEmpty();
    assertThat(folder.all().keySet()).containsExactly("postgresql");

    write("transactions/find-one/citus.sql", "SELECT a FROM t LIMIT 1");
    assertThat(text(Folder.read(shop, SQL), "citus")).isEqualTo("SELECT a FROM t LIMIT 1");
    assertThat(text(Folder.read(shop, SQL), "postgresql")).isEqualTo("SELECT a FROM t");
    assertThat(Folder.read(shop, List.of()).all().keySet())
        .containsExactly("citus", "mongodb", "postgresql");
  }

  /** Of files of other systems only their places are checked. */
  @Test
  void aFileOfAnotherSystemIsNotParsed() throws IOException {
    write("transactions/find-one/mongodb.json", "broken");
    assertThat(Folder.read(shop, SQL).names(Folder.TRANSACTIONS)).containsExactly("find-one");
  }

  @Test
  void everythingThatIsWrongIsSaidAtOnce() throws IOException {
    write("transactions/find-one/postgresql.sql", "SELECT 'a");
    write("transactions/find-one/postgres.sql", "SELECT 1");
    write("transactions/find-one/citus.json", "{}");
    write("transactions/Find/postgresql.sql", "SELECT 1");
    write("transaction/x/postgresql.sql", "SELECT 1");
    write("checks/x/postgresql.sql", "DELETE FROM t");
    write("checks/y/postgresql.sql", "SELECT 1; SELECT 2; SELECT 3");
    write("queries/z/postgresql.sql", " ");
    write("notes.txt", "");
    write("schema/more/postgresql.sql", "SELECT 1");
    assertThatThrownBy(() -> Folder.read(shop, SQL))
        .isInstanceOfSatisfying(
            ConfigException.class,
            refused ->
                assertThat(refused.problems())
                    .extracting(ConfigException::getMessage)
                    .containsExactly(
                        "shop/checks/x/postgresql.sql:1: a check only reads",
                        "shop/checks/y/postgresql.sql:1: a check is one statement, or two",
                        "shop/notes.txt:1: does not belong here; statements lie in"
                            + " transactions/<name>/<system>",
                        "shop/queries/z/postgresql.sql:1: there is no statement",
                        "shop/schema/more/postgresql.sql:1: does not belong here; a schema is"
                            + " schema/<system>.sql or .json",
                        "shop/transaction/x/postgresql.sql:1: unknown folder \"transaction\"; did"
                            + " you mean \"transactions\"?",
                        "shop/transactions/Find/postgresql.sql:1: the name \"Find\" has to be lower"
                            + " case, with hyphens between words",
                        "shop/transactions/find-one/citus.json:1: the file of citus is citus.sql",
                        "shop/transactions/find-one/postgres.sql:1: unknown system \"postgres\";"
                            + " did you mean \"postgresql\"?",
                        "shop/transactions/find-one/postgresql.sql:1: the literal is not closed: a"
                            + " ' is missing"));
  }

  /** {@code printf 'b.csv\0003\000a\nb' | sha256sum}, with what make() wrote left out. */
  @Test
  void theHashIsThatOfNamesAndContents() throws IOException {
    Path other = Files.createDirectory(directory.resolve("other"));
    Files.writeString(other.resolve("b.csv"), "a\nb");
    Files.writeString(other.resolve(".hidden"), "x");
    Files.writeString(other.resolve("b.csv~"), "x");
    assertThat(FolderHash.of(other))
        .isEqualTo("3e6c4d8aa11bf6503c910005a40e5ca95ee5d34908d4cbe5573bd801fbe2dca5");

    String before = Folder.read(shop, SQL).hash();
    write("names.csv", "name\nAda");
    assertThat(Folder.read(shop, SQL).hash()).isNotEqualTo(before);
  }

  @Test
  void aFolderThatIsNotThereIsRefused() {
    assertThatThrownBy(() -> Folder.read(directory.resolve("none"), SQL))
        .isInstanceOf(ConfigException.class)
        .hasMessage("there is no folder " + directory.resolve("none"));
  }
}
