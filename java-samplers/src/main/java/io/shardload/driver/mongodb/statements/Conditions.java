package io.shardload.driver.mongodb.statements;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * The conditions of a command one by one. A server may end the comparison of a document at the
 * first condition that is not met, and then it has not looked at the others.
 */
final class Conditions {
  private static final Set<String> FILTERS = Set.of("filter", "query", "q", "$match");
  private static final Set<String> LISTS = Set.of("updates", "deletes", "pipeline");
  private static final Set<String> COMBINED = Set.of("$and", "$or", "$nor");

  /** Code, which may fail where another condition does not protect it. */
  private static final Set<String> CODE = Set.of("$expr", "$where");

  private Conditions() {}

  /** Each condition as a filter of its own. */
  static List<BsonDocument> of(BsonDocument command) {
    List<BsonDocument> all = new ArrayList<>();
    command.forEach(
        (key, value) -> {
          if (FILTERS.contains(key) && value.isDocument()) {
            add(value.asDocument(), all);
          } else if (LISTS.contains(key) && value.isArray()) {
            documents(value.asArray()).forEach(part -> all.addAll(of(part)));
          }
        });
    return all;
  }

  private static void add(BsonDocument filter, List<BsonDocument> all) {
    filter.forEach(
        (key, value) -> {
          if (COMBINED.contains(key) && value.isArray()) {
            documents(value.asArray()).forEach(part -> add(part, all));
          } else if (!CODE.contains(key)) {
            all.add(new BsonDocument(key, value));
          }
        });
  }

  private static List<BsonDocument> documents(BsonArray array) {
    return array.stream().filter(BsonValue::isDocument).map(BsonValue::asDocument).toList();
  }
}
