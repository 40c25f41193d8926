package io.shardload.workload.statements;

import io.shardload.workload.CallFailure;
import io.shardload.workload.Checks;
import io.shardload.workload.Ports;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.Values;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The checks of a folder. A single statement must return no row. For two statements, the first rows
 * must agree, column by column in their order, and the total numbers of rows must agree; numbers
 * are compared by value.
 */
public final class FolderChecks implements Checks {
  /** Number of rows to compare if there are two statements. */
  public static final int MOST_ROWS = 1000;

  private static final int SHOWN_CHARACTERS = 200;

  private final Map<String, Definitions.Check> checks;
  private final Collection<String> transactions;
  private final Map<String, Object> constants = new TreeMap<>();
  private final Function<Ports, Map<String, List<Statement>>> statements;

  /**
   * @param checks by name
   * @param transactions whose calls may be counted
   * @param loaded rows that the load made, by table
   * @param options values of the folder's options, by name
   * @param statements of the current system, by name
   */
  FolderChecks(
      Map<String, Definitions.Check> checks,
      Collection<String> transactions,
      Map<String, Long> loaded,
      Map<String, Object> options,
      Function<Ports, Map<String, List<Statement>>> statements) {
    this.checks = new TreeMap<>(checks);
    this.transactions = transactions;
    constants.putAll(options);
    loaded.forEach((table, rows) -> constants.put(loaded(table), rows));
    this.statements = statements;
  }

  @Override
  public boolean any(boolean before) {
    return checks.values().stream().anyMatch(check -> check.when().at(before));
  }

  @Override
  public List<Answer> ask(Ports ports, boolean before, Map<String, Effects> effects)
      throws CallFailure {
    List<Answer> answers = new ArrayList<>();
    for (Map.Entry<String, Definitions.Check> check : checks.entrySet()) {
      if (check.getValue().when().at(before)) {
        List<Statement> asked = statements.apply(ports).get(check.getKey());
        // A check of another system has none.
        if (asked != null) {
          StatementAdmin admin = ports.port(StatementAdmin.class);
          try {
            answers.add(answer(admin, check.getKey(), asked, effects));
          } catch (CallFailure e) {
            if (before) {
              throw e;
            }
            String why = "the target failed: " + e.kind() + ": " + e.getMessage();
            answers.add(new Answer(check.getKey(), Verdict.FAILED, 0, why));
          }
        }
      }
    }
    return List.copyOf(answers);
  }

  private Answer answer(
      StatementAdmin admin, String name, List<Statement> asked, Map<String, Effects> effects)
      throws CallFailure {
    boolean counts =
        asked.stream()
            .flatMap(statement -> statement.names().stream())
            .anyMatch(parameter -> !constants.containsKey(parameter));
    if (counts && effects == null) {
      return new Answer(
          name,
          Verdict.NOT_RUN,
          0,
          "it uses call counts, but no call counts of a run are available");
    }
    Map<String, Object> used = counts(asked, effects);
    if (used.containsValue(Effects.NOT_COUNTED)) {
      String what =
          "calls of this data set were not counted for it (%s); load --recreate begins again";
      return new Answer(name, Verdict.NOT_RUN, 0, what.formatted(text(used)));
    }
    StatementAdmin.Answer first = ask(admin, asked.get(0), effects);
    if (asked.size() == 1) {
      return first.count() == 0
          ? new Answer(name, Verdict.CLEAN, 0, "")
          : new Answer(
              name,
              Verdict.WRONG,
              first.count(),
              "returned " + rows(first) + where(asked, effects));
    }
    String difference = difference(first, ask(admin, asked.get(1), effects));
    return difference.isEmpty()
        ? new Answer(name, Verdict.CLEAN, first.count(), "")
        : new Answer(name, Verdict.WRONG, first.count(), difference + where(asked, effects));
  }

  private StatementAdmin.Answer ask(
      StatementAdmin admin, Statement statement, Map<String, Effects> effects) throws CallFailure {
    return admin.ask(statement, counts(List.of(statement), effects), MOST_ROWS);
  }

  private Map<String, Object> counts(List<Statement> asked, Map<String, Effects> effects) {
    Map<String, Object> counts = new TreeMap<>();
    for (Statement statement : asked) {
      for (String name : statement.names()) {
        Optional<CallCount> count = CallCount.parse(name, transactions);
        if (constants.containsKey(name)) {
          counts.put(name, constants.get(name));
        } else if (count.isPresent()) {
          Effects of = effects.getOrDefault(count.get().transaction(), Effects.NONE);
          counts.put(name, count.get().kind().of(of));
        }
      }
    }
    return counts;
  }

  /** The name of the number of rows that the load made in a table. */
  static String loaded(String table) {
    return "loaded_" + table.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]", "_");
  }

  /** The counts that the check used; or nothing. */
  private String where(List<Statement> asked, Map<String, Effects> effects) {
    Map<String, Object> counts = counts(asked, effects);
    return counts.isEmpty() ? "" : " (" + text(counts) + ")";
  }

  private static String rows(StatementAdmin.Answer answer) {
    String number = (answer.count() == 1 ? "1 row" : answer.count() + " rows") + " instead of none";
    return answer.rows().isEmpty() ? number : number + ", such as " + text(answer.rows().get(0));
  }

  private static String difference(StatementAdmin.Answer one, StatementAdmin.Answer other) {
    int both = Math.min(one.rows().size(), other.rows().size());
    for (int i = 0; i < both; i++) {
      Map<String, Object> left = one.rows().get(i);
      Map<String, Object> right = other.rows().get(i);
      if (!agree(left.values(), right.values())) {
        return "row %d: the first statement returned %s, the second %s"
            .formatted(i + 1, text(left), text(right));
      }
    }
    return one.count() == other.count()
        ? ""
        : "the first statement returned %d rows, the second %d"
            .formatted(one.count(), other.count());
  }

  private static boolean agree(Collection<Object> one, Collection<Object> other) {
    if (one.size() != other.size()) {
      return false;
    }
    Iterator<Object> others = other.iterator();
    return one.stream().allMatch(value -> Values.same(value, others.next()));
  }

  private static String text(Map<String, Object> row) {
    String text = row.toString();
    text = text.substring(1, text.length() - 1);
    return text.length() > SHOWN_CHARACTERS ? text.substring(0, SHOWN_CHARACTERS) + "..." : text;
  }

  /**
   * A count of calls that a check may use, such as {@code done_place_order}; or of the rows that
   * they changed.
   *
   * @param transaction whose calls are counted
   */
  record CallCount(String transaction, Kind kind) {
    /** What is counted. */
    enum Kind {
      DONE,
      UNKNOWN,
      REFUSED,
      ROWS;

      long of(Effects effects) {
        return switch (this) {
          case DONE -> effects.done();
          case UNKNOWN -> effects.unknown();
          case REFUSED -> effects.refused();
          case ROWS -> effects.rows();
        };
      }

      String name(String transaction) {
        return name().toLowerCase(Locale.ROOT) + "_" + transaction.replace('-', '_');
      }
    }

    /** The count for a name in a statement; empty if it matches none of these transactions. */
    static Optional<CallCount> parse(String name, Collection<String> transactions) {
      return all(transactions).filter(one -> one.name().equals(name)).findFirst();
    }

    /** All names of counts. */
    static List<String> names(Collection<String> transactions) {
      return all(transactions).map(CallCount::name).toList();
    }

    private static Stream<CallCount> all(Collection<String> transactions) {
      return transactions.stream()
          .flatMap(one -> Stream.of(Kind.values()).map(kind -> new CallCount(one, kind)));
    }

    private String name() {
      return kind.name(transaction);
    }
  }
}
