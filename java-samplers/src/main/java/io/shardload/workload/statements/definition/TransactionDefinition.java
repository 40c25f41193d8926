package io.shardload.workload.statements.definition;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The definition of a transaction in {@code workload.yml}.
 *
 * @param path of its section
 * @param severalCommits whether its statements take effect one by one ({@code atomic: false})
 * @param listed whether it has a list of steps, one per statement
 * @param steps the listed steps, or the step of its only statement
 */
record TransactionDefinition(
    String path, Isolation isolation, boolean severalCommits, boolean listed, List<Step> steps) {
  private static final String STEPS = "steps";
  private static final String ISOLATION = "isolation";
  private static final List<String> EXPECTATIONS = List.of("rows", "equal", "capture");

  /** Reads its section, which may be empty. */
  static TransactionDefinition read(Options section) {
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
    return new TransactionDefinition(section.pathOf(""), isolation, !atomic, listed, steps)
        .trimmed();
  }

  private TransactionDefinition trimmed() {
    return new TransactionDefinition(
        path.replaceAll("\\.$", ""), isolation, severalCommits, listed, steps);
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

    private static final Pattern NUMBERS = Pattern.compile("(\\d{1,18})(?:(\\.\\.)(\\d{1,18})?)?");

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
                + "' is not one of: one, zero-or-one, none, any, a number (5), a range (1..100, 1..)");
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
