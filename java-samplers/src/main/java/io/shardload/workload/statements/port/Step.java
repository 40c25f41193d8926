package io.shardload.workload.statements.port;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The expectation of one statement's answer.
 *
 * @param fewest least number of returned or changed rows; -1 if any number is right
 * @param most largest number of rows
 * @param conditions that hold in each row
 * @param order of the rows; null if any order is right
 * @param capture names by which later statements use a column of the first row: column by name
 * @param refuses whether another number of rows is a refusal, and no wrong answer
 * @param each the list or child table for whose elements the statement is repeated; empty if it is
 *     run once. Then arguments that are arrays have one value per repetition
 */
public record Step(
    long fewest,
    long most,
    List<Condition> conditions,
    Order order,
    Map<String, String> capture,
    boolean refuses,
    String each) {
  /** Expects nothing. */
  public static final Step ANY = new Step(-1, Long.MAX_VALUE, Map.of(), Map.of());

  /** How a column relates to a parameter. */
  public enum Relation {
    EQUAL,
    /** The column equals this or another parameter with this relation to it. */
    AMONG,
    /** The column is a list that has the parameter among its values. */
    CONTAINS,
    GREATER,
    AT_LEAST,
    LESS,
    AT_MOST,
    /** The column is one of the entity: it has what was written there. */
    ANSWER,
    /** The column is compared between systems, under the name that stands as its parameter. */
    COMPARED;

    /** Those that {@code workload.yml} has as keys with a column and a parameter each. */
    public static final List<Relation> OF_PARAMETERS =
        List.of(EQUAL, CONTAINS, GREATER, AT_LEAST, LESS, AT_MOST);

    /** Whether a call compares the column with a parameter. */
    public boolean isOfParameter() {
      return this != ANSWER && this != COMPARED;
    }

    /** The key in {@code workload.yml}. */
    public String label() {
      return this == AMONG
          ? EQUAL.label()
          : name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
  }

  public record Condition(Relation relation, String column, String parameter) {
    /** Whether another condition relates the column in the same way, perhaps to another one. */
    public boolean isBeside(Condition other) {
      return relation == other.relation && column.equals(other.column);
    }
  }

  /** Rows in the order of a column. NULL may stand anywhere. */
  public record Order(String column, boolean descending) {}

  public Step {
    conditions = List.copyOf(conditions);
    capture = Map.copyOf(capture);
  }

  /** A step that does not refuse. */
  public Step(
      long fewest,
      long most,
      List<Condition> conditions,
      Order order,
      Map<String, String> capture) {
    this(fewest, most, conditions, order, capture, false, "");
  }

  /**
   * A step without an order.
   *
   * @param equal columns that in each row equal a parameter, by column
   */
  public Step(long fewest, long most, Map<String, String> equal, Map<String, String> capture) {
    this(
        fewest,
        most,
        equal.entrySet().stream()
            .map(pair -> new Condition(Relation.EQUAL, pair.getKey(), pair.getValue()))
            .toList(),
        null,
        capture,
        false,
        "");
  }

  /** The columns that the driver must pass on, sorted, each once; MongoDB: fields with dots. */
  public List<String> wanted() {
    return Stream.of(
            conditions.stream()
                .filter(one -> one.relation() != Relation.COMPARED)
                .map(Condition::column),
            Stream.ofNullable(order).map(Order::column),
            capture.values().stream())
        .flatMap(columns -> columns)
        .distinct()
        .sorted()
        .toList();
  }

  /** The columns of the entity that a read returns. */
  public List<String> answer() {
    return conditions.stream()
        .filter(one -> one.relation() == Relation.ANSWER)
        .map(Condition::column)
        .toList();
  }

  /**
   * What systems are compared by: paths of fields, by the names that all systems share. A path
   * begins with a column.
   */
  public Map<String, String> compared() {
    Map<String, String> paths = new TreeMap<>();
    for (Condition one : conditions) {
      if (one.relation() == Relation.COMPARED) {
        paths.put(one.parameter(), one.column());
      } else if (isOfEntity(one)) {
        paths.put(one.column(), one.column());
      }
    }
    return paths;
  }

  /** Whether the read of an entity implies the columns that systems are compared by. */
  public boolean comparesEntity() {
    return conditions.stream().anyMatch(Step::isOfEntity);
  }

  private static boolean isOfEntity(Condition one) {
    return one.relation() == Relation.ANSWER && !one.parameter().isEmpty();
  }

  /** The same, but the driver passes on the columns that systems are compared by, too. */
  public Step comparing() {
    Stream<Condition> more =
        compared().values().stream()
            .map(path -> new Condition(Relation.ANSWER, path.split("\\.", 2)[0], ""));
    return new Step(
        fewest,
        most,
        Stream.concat(conditions.stream(), more).distinct().toList(),
        order,
        capture,
        refuses,
        each);
  }

  /** The parameters with which rows are compared, sorted. */
  public List<String> parameters() {
    return conditions.stream()
        .filter(one -> one.relation().isOfParameter())
        .map(Condition::parameter)
        .distinct()
        .sorted()
        .toList();
  }

  /** Whether this number of rows is right. */
  public boolean allows(long rows) {
    return rows >= fewest && rows <= most;
  }
}
