package io.shardload.driver.postgresql.facts;

import io.shardload.driver.postgresql.store.PostgresqlDocumentStore.Arguments;
import java.lang.reflect.Proxy;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The arguments of a statement as the server knows them: with the types that pgjdbc declares, and
 * as literals.
 */
final class RecordedArguments {
  private record Argument(String type, Object value) {
    String literal() {
      return value == null ? "NULL" : "'" + value.toString().replace("'", "''") + "'::" + type;
    }
  }

  private final SortedMap<Integer, Argument> all = new TreeMap<>();

  private RecordedArguments() {}

  static RecordedArguments of(Arguments arguments) throws SQLException {
    RecordedArguments recorded = new RecordedArguments();
    arguments.set(
        (PreparedStatement)
            Proxy.newProxyInstance(
                RecordedArguments.class.getClassLoader(),
                new Class<?>[] {PreparedStatement.class},
                (proxy, method, values) -> {
                  recorded.all.put(
                      (Integer) values[0], new Argument(type(method.getName()), values[1]));
                  return null;
                }));
    return recorded;
  }

  private static String type(String setter) {
    return switch (setter) {
      case "setString" -> "varchar";
      case "setLong" -> "bigint";
      case "setInt" -> "integer";
      case "setObject" -> "uuid";
      default -> throw new IllegalArgumentException(setter + " is not recorded");
    };
  }

  /** In their order, with commas. */
  String types() {
    return String.join(", ", all.values().stream().map(Argument::type).toList());
  }

  String values() {
    List<String> literals = new ArrayList<>();
    all.values().forEach(argument -> literals.add(argument.literal()));
    return String.join(", ", literals);
  }
}
