package io.shardload.workload.statements;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Step;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The sections {@code workload.transactions} and {@code workload.checks}.
 *
 * @param transactions by name, one for each folder of a transaction
 * @param checks when each check is run, by name
 */
public record Definitions(Map<String, Transaction> transactions, Map<String, CheckTime> checks) {
  /** When a check is run. */
  public enum CheckTime {
    BEFORE,
    AFTER,
    BOTH;

    private static final List<String> LABELS = List.of("before", "after", "both");

    /** Whether the check is run before the run; otherwise after it. */
    public boolean at(boolean before) {
      return this == BOTH || before == (this == BEFORE);
    }
  }

  /**
   * Reads both sections.
   *
   * @param transactions names of all transactions
   * @param checks names of all checks
   * @param existing whether the data is existing data of the user, which checks judge only after a
   *     run
   * @throws ConfigException all problems in them
   */
  public static Definitions read(
      JsonObject transactionSection,
      Collection<String> transactions,
      JsonObject checkSection,
      Collection<String> checks,
      boolean existing) {
    Map<String, Transaction> ofTransactions = new LinkedHashMap<>();
    Map<String, CheckTime> ofChecks = new LinkedHashMap<>();
    ConfigException.all(
        () ->
            ofTransactions.putAll(
                all(
                    new Options("workload.transactions", transactionSection),
                    "transaction",
                    transactions,
                    Transaction::read)),
        () ->
            ofChecks.putAll(
                all(
                    new Options("workload.checks", checkSection),
                    "check",
                    checks,
                    section -> time(section, existing))));
    return new Definitions(ofTransactions, ofChecks);
  }

  private static <T> Map<String, T> all(
      Options sections, String what, Collection<String> names, Function<Options, T> reader) {
    Map<String, T> all = new LinkedHashMap<>();
    List<Runnable> readings = new ArrayList<>();
    for (String name : sections.keys()) {
      if (!names.contains(name)) {
        readings.add(
            () -> {
              throw ConfigException.unknown(sections.pathOf(name), what, name, names);
            });
      }
    }
    for (String name : names) {
      readings.add(() -> all.put(name, reader.apply(sections.section(name))));
    }
    ConfigException.all(readings.toArray(new Runnable[0]));
    return all;
  }

  private static CheckTime time(Options section, boolean existing) {
    String label = section.choice("when", existing ? "after" : "both", CheckTime.LABELS);
    section.rejectUnknown();
    return CheckTime.values()[CheckTime.LABELS.indexOf(label)];
  }

  /**
   * The definition of a transaction in {@code workload.yml}.
   *
   * @param path of its section
   * @param severalCommits whether its statements take effect one by one ({@code atomic: false})
   * @param listed whether it has a list of steps, one per statement
   * @param steps the listed steps, or the step of its only statement
   */
  record Transaction(
      String path, Isolation isolation, boolean severalCommits, boolean listed, List<Step> steps) {
    private static final String STEPS = "steps";
    private static final String ISOLATION = "isolation";
    private static final List<String> EXPECTATIONS = List.of("rows", "equal", "capture");

    /** Reads its section, which may be empty. */
    static Transaction read(Options section) {
      boolean listed = section.has(STEPS);
      List<Step> steps = new ArrayList<>();
      if (listed) {
        List<String> beside = EXPECTATIONS.stream().filter(section::has).toList();
        if (!beside.isEmpty()) {
          throw new ConfigException(
              section.pathOf(beside.get(0)),
              "cannot be set together with steps: move it into a step");
        }
        for (Options step : section.sections(STEPS)) {
          steps.add(step(step));
          step.rejectUnknown();
        }
      } else {
        steps.add(step(section));
      }
      Isolation isolation = isolation(section);
      boolean atomic = section.flag("atomic", true);
      if (!atomic && isolation.atomic()) {
        throw new ConfigException(
            section.pathOf("atomic"),
            "cannot be false together with isolation: " + isolation.label());
      }
      section.rejectUnknown();
      return new Transaction(section.pathOf(""), isolation, !atomic, listed, steps).trimmed();
    }

    private Transaction trimmed() {
      return new Transaction(path.replaceAll("\\.$", ""), isolation, severalCommits, listed, steps);
    }

    private static Isolation isolation(Options section) {
      List<String> labels = Stream.of(Isolation.values()).map(Isolation::label).toList();
      String label = section.choice(ISOLATION, Isolation.NONE.label(), labels);
      return Stream.of(Isolation.values())
          .filter(isolation -> isolation.label().equals(label))
          .findFirst()
          .orElseThrow();
    }

    private static Step step(Options section) {
      RowRange rows = RowRange.read(section);
      return new Step(
          rows.fewest(),
          rows.most(),
          names(section.section("equal")),
          names(section.section("capture")));
    }

    private static Map<String, String> names(Options section) {
      Map<String, String> all = new LinkedHashMap<>();
      section.keys().forEach(key -> all.put(key, section.requiredText(key)));
      return all;
    }

    /** Whether no statement has an expectation. */
    private boolean wantsNothing() {
      return !listed && steps.get(0).equals(Step.ANY);
    }

    /** The expectations of this many statements; null if the numbers do not match. */
    List<Step> steps(int statements) {
      if (wantsNothing()) {
        return Stream.generate(() -> Step.ANY).limit(statements).toList();
      }
      return steps.size() == statements ? steps : null;
    }

    /**
     * How many rows a statement may return or change.
     *
     * @param fewest -1 if any number is right
     */
    private record RowRange(long fewest, long most) {
      static final RowRange ANY = new RowRange(-1, Long.MAX_VALUE);

      private static final Pattern NUMBERS =
          Pattern.compile("(\\d{1,18})(?:(\\.\\.)(\\d{1,18})?)?");

      /** Reads the key {@code rows}; any if it is absent. */
      static RowRange read(Options section) {
        String text = section.text("rows", "any");
        return switch (text) {
          case "any" -> ANY;
          case "none" -> new RowRange(0, 0);
          case "one" -> new RowRange(1, 1);
          case "zero-or-one" -> new RowRange(0, 1);
          default -> numbers(section, text);
        };
      }

      private static RowRange numbers(Options section, String text) {
        Matcher matcher = NUMBERS.matcher(text);
        if (!matcher.matches()) {
          throw new ConfigException(
              section.pathOf("rows"),
              "'"
                  + text
                  + "' is not one of: one, zero-or-one, none, any, a number (5), a range (1..100,"
                  + " 1..)");
        }
        long fewest = Long.parseLong(matcher.group(1));
        long most =
            matcher.group(2) == null
                ? fewest
                : matcher.group(3) == null ? Long.MAX_VALUE : Long.parseLong(matcher.group(3));
        if (most < fewest) {
          throw new ConfigException(
              section.pathOf("rows"), text + " has a lower bound above its upper bound");
        }
        return new RowRange(fewest, most);
      }
    }
  }
}
