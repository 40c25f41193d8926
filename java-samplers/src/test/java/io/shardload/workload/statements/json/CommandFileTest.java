package io.shardload.workload.statements.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Problem;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Commands, parameters and problems of files of JSON. */
class CommandFileTest {
  private final List<Problem> problems = new ArrayList<>();

  private List<List<CommandStatement>> read(String json) {
    return CommandFile.read("f.json", json, problems::add);
  }

  @Test
  void anObjectIsAStatement() {
    List<List<CommandStatement>> read =
        read(
            """
            {"find": "orders",
             "filter": {"customer": {"$param": "customer"}, "n": {"$gt": {"$param": "n"}},
                        "d": {"$numberDecimal": "1.50"}, "e": 1.0}, "limit": 1}
            """);
    assertThat(problems).isEmpty();
    CommandStatement statement = read.get(0).get(0);
    assertThat(statement.verb()).isEqualTo("find");
    assertThat(statement.collection()).isEqualTo("orders");
    assertThat(statement.names()).containsExactly("customer", "n");
    assertThat(statement.writes()).isFalse();
    assertThat(statement.command().toString())
        .isEqualTo(
            "{\"find\":\"orders\",\"filter\":{\"customer\":{\"$param\":\"customer\"},\"n\":{\"$gt\":"
                + "{\"$param\":\"n\"}},\"d\":{\"$numberDecimal\":\"1.50\"},\"e\":1.0},\"limit\":1}");
  }

  @Test
  void aListIsSeveralStatementsAndVariantsAreLists() {
    List<List<CommandStatement>> read =
        read(
            """
            {"variants": [
              {"insert": "a", "documents": [{"_id": {"$param": "id"}}]},
              [{"update": "a", "updates": []},
               {"findAndModify": "b", "query": {}, "remove": true}]
            ]}
            """);
    assertThat(problems).isEmpty();
    assertThat(read).hasSize(2);
    assertThat(read.get(1))
        .extracting(s -> s.place() + " " + s.verb() + " " + s.writes())
        .containsExactly("f.json:3 update true", "f.json:4 findAndModify true");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"fnd\": \"a\"} | f.json:1: unknown command \"fnd\"; did you mean \"find\"?",
        "{\"find\": 1} | f.json:1: find wants the name of a collection",
        "{\"find\": {\"$param\": \"c\"}} | f.json:1: find wants the name of a collection",
        "{\"find\": \"a\", \"filter\": {\"$param\": \"A\"}} | f.json:1: a parameter is written {\"$param\": \"name\"}, in lower case",
        "{\"find\": \"a\", \"filter\": {\"$param\": \"a\", \"b\": 1}} | f.json:1: a parameter is written {\"$param\": \"name\"}, in lower case",
        "{\"find\": \"a\", \"find\": \"b\"} | f.json:1: the key \"find\" stands twice",
        "[] | f.json:1: there is no statement",
        "{\"variants\": []} | f.json:1: there is no statement",
        "{\"variants\": 1} | f.json:1: \"variants\" stands alone, and has a list",
        "1 | f.json:1: a statement is an object such as {\"find\": \"orders\"}",
        "{\"find\": \"a\"} 1 | f.json:1: is no strict JSON: malformed",
        "{find: \"a\"} | f.json:1: is no strict JSON: malformed",
        "{\"find\": \"a\" | f.json:1: ends too early",
        "{\"aggregate\": \"a\", \"pipeline\": [{\"$out\": \"b\"}]} | f.json:1: $out writes a collection that nobody would check; use insert or update",
      })
  void whatIsWrongIsOneLine(String json, String problem) {
    read(json);
    assertThat(problems).extracting(Problem::toString).containsExactly(problem);
  }

  @Test
  void theLineIsThatOfTheObject() {
    read("[\n{\"find\": \"a\"},\n\n{\"drop\": \"a\"}]");
    assertThat(problems)
        .extracting(problem -> problem.place().toString())
        .containsExactly("f.json:4");
  }

  @Test
  void collectionsAreMade() {
    String schema =
        """
        {"collections": [
          {"name": "orders", "indexes": [{"name": "by_customer", "key": {"customer": 1}}],
           "shard-key": {"customer": "hashed"}},
          {"name": "items"}]}
        """;
    List<CommandStatement> read = CollectionFile.read("s.json", schema, problems::add);
    assertThat(problems).isEmpty();
    assertThat(read)
        .extracting(s -> s.place() + " " + s.verb() + " " + s.collection())
        .containsExactly("s.json:2 create orders", "s.json:4 create items");
  }

  @Test
  void everythingWrongInASchemaIsSaid() {
    String schema =
        """
        {"collections": [
          {"name": "a", "indices": []},
          {"name": "a", "indexes": [{"keys": {}}]},
          {"indexes": []}], "more": 1}
        """;
    CollectionFile.read("s.json", schema, problems::add);
    assertThat(problems)
        .extracting(Problem::toString)
        .containsExactly(
            "s.json:1: unknown key \"more\"; known are collections",
            "s.json:2: unknown key \"indices\"; did you mean \"indexes\"?",
            "s.json:3: an index is an object with a \"key\" such as {\"customer\": 1}",
            "s.json:3: the collection \"a\" stands twice",
            "s.json:1: a collection is an object with a \"name\"");
  }
}
