package io.shardload.workload.statements.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Problem;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandFileTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"find": "c", "filter": {"_id": {"$param": "a"}}, "sort": {"b": -1}, "limit": {"$param": "n"}} | find c [a, n] false
          {"find": "c", "filter": {"$or": [{"a": {"$param": "x"}}, {"b": {"$in": [1, {"$param": "x"}]}}]}} | find c [x, x] false
          {"aggregate": "c", "pipeline": [{"$match": {"a": {"$param": "a"}}}, {"$count": "n"}], "cursor": {}} | aggregate c [a] false
          {"insert": "c", "documents": [{"_id": {"$param": "id"}, "x": {"$numberLong": "5"}}], "ordered": false} | insert c [id] true
          {"insert": "c", "documents": [{"$param": "doc"}]} | insert c [doc] true
          {"insert": "c", "documents": {"$param": "docs"}} | insert c [docs] true
          {"update": "c", "updates": [{"q": {"a": 1}, "u": {"$set": {"b": {"$param": "b"}}}, "multi": true}]} | update c [b] true
          {"update": "c", "updates": [{"q": {}, "u": [{"$set": {"b": "$a"}}], "upsert": true, "sort": {"a": 1}}]} | update c [] true
          {"delete": "c", "deletes": [{"q": {"a": {"$param": "a"}}, "limit": 1}]} | delete c [a] true
          {"findAndModify": "c", "query": {}, "update": {"$inc": {"n": 1}}, "new": true, "fields": {"n": 1}} | findAndModify c [] true
          {"findAndModify": "c", "query": {"a": 1}, "remove": true} | findAndModify c [] true
          {"count": "c", "query": {"a": {"$param": "a"}}, "limit": 5} | count c [a] false
          {"distinct": "c", "key": "a.b", "query": {}} | distinct c [] false
          """)
  void readsCommands(String json, String expected) {
    CommandStatement read = read(json).get(0).get(0);
    assertThat("%s %s %s %s".formatted(read.verb(), read.collection(), read.names(), read.writes()))
        .isEqualTo(expected);
    assertThat(read.command().toString()).isEqualTo(json.replaceAll("([:,]) ", "$1"));
  }

  @Test
  void readsStatementsInOrderAndVariants() {
    String file =
        """
        {"variants": [
          {"find": "a"},
          [ {"find": "b"},

            {"count": "c"} ]
        ]}
        """;
    assertThat(
            read(file).stream()
                .map(one -> one.stream().map(s -> s.place() + " " + s.collection()).toList()))
        .containsExactly(List.of("f.json:2 a"), List.of("f.json:3 b", "f.json:5 c"));
    assertThat(read("[{\"find\": \"a\"}, {\"find\": \"b\"}]"))
        .singleElement()
        .asInstanceOf(InstanceOfAssertFactories.LIST)
        .hasSize(2);
  }

  @Test
  void numbersAndEscapesStayAsTheyStand() {
    String json =
        "{\"find\":\"c\",\"filter\":{\"a\":1.0,\"b\":12345678901234567890,\"c\":-1e3,\"d\":null}}";
    assertThat(read(json).get(0).get(0).command().toString()).isEqualTo(json);
    assertThat(read("{\"find\": \"\\u0061\\t\\\"\\\\\\/\"}").get(0).get(0).collection())
        .isEqualTo("a\t\"\\/");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"finds": "c"}                       | 1: unknown command "finds"; did you mean "find"?
          {"findandmodify": "c"}               | 1: unknown command "findandmodify"; did you mean "findAndModify"?
          {"drop": "c"}                        | 1: unknown command "drop"; known are find, aggregate, insert, update, delete, findAndModify, count, distinct
          {"find": "c", "filer": {}}           | 1: unknown field of find "filer"; did you mean "filter"?
          {"filter": {}, "find": "c"}          | 1: unknown command "filter"; known are find, aggregate, insert, update, delete, findAndModify, count, distinct
          {"find": "c", "tailable": true}      | 1: unknown field of find "tailable"; known are filter, sort, projection, hint, skip, limit, batchSize, comment, max, min, returnKey, showRecordId, allowPartialResults, collation, allowDiskUse, let, find
          {"find": "c", "count": "c"}          | 1: unknown field of find "count"; known are filter, sort, projection, hint, skip, limit, batchSize, comment, max, min, returnKey, showRecordId, allowPartialResults, collation, allowDiskUse, let, find
          {"find": "c", "readConcern": {}}     | 1: "readConcern" is set by the target, not by a statement
          {"insert": "c", "documents": [{}], "writeConcern": {}} | 1: "writeConcern" is set by the target, not by a statement
          {"count": "c", "maxTimeMS": 5}       | 1: "maxTimeMS" is set by the target, not by a statement
          {"find": "c", "$readPreference": {}} | 1: "$readPreference" is set by the target, not by a statement
          {"find": ""}                         | 1: "find" must name a collection
          {"aggregate": 1, "pipeline": []}     | 1: "aggregate" must name a collection
          {"find": {"$param": "c"}}            | 1: "find" must name a collection
          {"find": "c", "limit": "5"}          | 1: "limit" must be a whole number
          {"find": "c", "filter": []}          | 1: "filter" must be an object
          {"find": "c", "limit": 1.5}          | 1: "limit" must be a whole number
          {"find": "c", "returnKey": 1}        | 1: "returnKey" must be true or false
          {"insert": "c", "documents": [{}], "ordered": {"$param": "a"}} | 1: "ordered" must be true or false
          {"find": "c", "filter": {"a": {"$param": ""}}} | 1: "$param" must be the name of a parameter
          {"find": "c", "filter": {"$param": "a", "b": 1}} | 1: "$param" must be the only key of its object
          {"find": "c", "filter": {"a": {"$param": 1}}} | 1: "$param" must be the name of a parameter
          {"find": "c", "filter": {"a": {"$param": "A b"}}} | 1: "A b" is not a parameter: names consist of a-z, 0-9 and _
          {"aggregate": "c"}                   | 1: aggregate has no "pipeline"
          {"aggregate": "c", "pipeline": [{"$match": {}}, {"$out": "d"}]} | 1: $out writes: an aggregation must only read
          {"aggregate": "c", "pipeline": [{"$merge": {"into": "d"}}]} | 1: $merge writes: an aggregation must only read
          {"aggregate": "c", "pipeline": [{"$changeStream": {}}]} | 1: $changeStream never ends: shardload reads all rows of a statement
          {"aggregate": "c", "pipeline": [{"$param": "stage"}]} | 1: a stage must be an object with one key, such as $match
          {"aggregate": "c", "pipeline": [{}]} | 1: a stage must be an object with one key, such as $match
          {"aggregate": "c", "pipeline": [{"match": {}}]} | 1: "match" is not a stage: the name of a stage begins with $
          {"aggregate": "c", "pipeline": [], "cursor": {"batch": 1}} | 1: unknown field of cursor "batch"; known are batchSize
          {"aggregate": "c", "pipeline": {}}   | 1: "pipeline" must be a list of objects
          {"insert": "c", "documents": []}     | 1: "documents" is empty
          {"insert": "c"}                      | 1: insert has no "documents"
          {"insert": "c", "documents": [1]}    | 1: "documents" must be a list of objects
          {"insert": "c", "documents": {}}     | 1: "documents" must be a list of objects
          {"update": "c"}                      | 1: update has no "updates"
          {"update": "c", "updates": [{"u": {}}]} | 1: an entry of "updates" has no "q"
          {"update": "c", "updates": [{"q": [], "u": {}}]} | 1: "q" must be an object
          {"update": "c", "updates": [{"q": {}, "u": {}, "arrayFilters": {}}]} | 1: "arrayFilters" must be a list of objects
          {"update": "c", "updates": [{"q": {}}]} | 1: an entry of "updates" has no "u"
          {"update": "c", "updates": [{"q": {}, "u": {}, "upsrt": true}]} | 1: unknown field of updates "upsrt"; did you mean "upsert"?
          {"update": "c", "updates": [{"$param": "u"}]} | 1: an entry of "updates" must be an object, not a parameter
          {"update": "c", "updates": []}       | 1: "updates" is empty
          {"delete": "c"}                      | 1: delete has no "deletes"
          {"delete": "c", "deletes": []}       | 1: "deletes" is empty
          {"delete": "c", "deletes": [{"$param": "d"}]} | 1: an entry of "deletes" must be an object, not a parameter
          {"delete": "c", "deletes": [{"limit": 1}]} | 1: an entry of "deletes" has no "q"
          {"delete": "c", "deletes": [{"q": {}}]} | 1: an entry of "deletes" has no "limit"
          {"delete": "c", "deletes": [{"q": {}, "limit": {"$param": "n"}}]} | 1: "limit" must be 0 (all that match) or 1
          {"delete": "c", "deletes": [{"q": {}, "limit": 1, "u": {}}]} | 1: unknown field of deletes "u"; did you mean "q"?
          {"findAndModify": "c", "update": {}, "upsert": "yes"} | 1: "upsert" must be true or false
          {"delete": "c", "deletes": [{"q": {}, "limit": 2}]} | 1: "limit" must be 0 (all that match) or 1
          {"findAndModify": "c"}               | 1: findAndModify must have either "update" or "remove": true
          {"findAndModify": "c", "update": {}, "remove": true} | 1: findAndModify must have either "update" or "remove": true
          {"distinct": "c"}                    | 1: distinct has no "key"
          {"distinct": "c", "key": {}}         | 1: "key" must be a string
          {}                                   | 1: the statement is empty
          []                                   | 1: the list of statements is empty
          5                                    | 1: a statement must be an object; several statements must be a list of objects
          [[{"find": "c"}]]                    | 1: a statement must be an object; several statements must be a list of objects
          {"variants": []}                     | 1: "variants" must be a list of statements
          {"variants": {"find": "c"}}          | 1: "variants" must be a list of statements
          {"variants": [[]]}                   | 1: the list of statements is empty
          {"variants": [{"variants": []}]}     | 1: unknown command "variants"; known are find, aggregate, insert, update, delete, findAndModify, count, distinct
          {"variants": [{"find": "c"}], "x": 1} | 1: "x" cannot be used together with "variants"
          """)
  void refusesWhatIsNotAllowed(String json, String problem) {
    assertThat(problems(json)).containsExactly(problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          {"find": "c" "a": 1}        | expected a comma or "}"
          {"find": "c",}              | expected a key in double quotes
          {"find": "c", find: 1}      | expected a key in double quotes
          {'find': "c"}               | expected a key in double quotes
          {"find": 'c'}               | strings must be in double quotes
          {"find": "c"} {}            | unexpected text after the value
          {"find" "c"}                | expected a colon after "find"
          {"find": "c", "find": "d"}  | the key "find" occurs twice in its object
          {"find": "c", "limit": 01}  | "01" is not a JSON value
          {"find": "c", "limit": NaN} | "NaN" is not a JSON value
          {"find": "c", "limit": +1}  | "+1" is not a JSON value
          {"find": "c", "limit": }    | expected a value before "}"
          {"find": "c"                | expected a comma or "}"
          {"find": "c                 | the string has no closing quote
          {"find": "\\x"}             | invalid JSON escape: \\x
          {"find": // c               | JSON does not support comments
          [{"find": "c"}              | expected a comma or "]"
          """)
  void readsStrictJsonAlone(String json, String problem) {
    assertThat(problems("\n" + json)).containsExactly("2: " + problem);
  }

  @Test
  void eachProblemHasTheLineOfItsKey() {
    assertThat(problems("[\n{\"find\": \"c\",\n \"a\": 1},\n{\"count\": \"c\",\n\n \"b\": {}}]"))
        .allMatch(problem -> problem.contains("unknown field of"))
        .extracting(problem -> problem.substring(0, 2))
        .containsExactly("3:", "6:");
    assertThat(problems("[".repeat(300)))
        .containsExactly("1: objects and lists are nested deeper than 200");
    assertThat(problems("{\"find\":\n\"a\nb\"}"))
        .containsExactly("2: a string contains a line end or another control character");
  }

  private static List<List<CommandStatement>> read(String json) {
    List<Problem> problems = new ArrayList<>();
    List<List<CommandStatement>> variants = CommandFile.parse("f.json", json, problems::add);
    assertThat(problems).isEmpty();
    return variants;
  }

  private static List<String> problems(String json) {
    List<Problem> problems = new ArrayList<>();
    CommandFile.parse("f.json", json, problems::add);
    return problems.stream().map(p -> p.place().line() + ": " + p.text()).toList();
  }
}
