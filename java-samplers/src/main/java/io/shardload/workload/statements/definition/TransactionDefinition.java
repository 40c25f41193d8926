package io.shardload.workload.statements.definition;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What {@code workload.yml} says of a transaction.
 *
 * @param path of its section
 * @param severalCommits whether it says that its statements take effect one by one
 * @param listed whether there is a list of steps, one for each statement
 * @param steps the listed ones, or the one of its only statement
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
            section.pathOf(beside.get(0)), "stands beside steps: it belongs to one of them");
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
          section.pathOf("atomic"), "is false beside isolation: " + isolation.label());
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

  /** Whether nothing is wanted of any statement. */
  private boolean wantsNothing() {
    return !listed && steps.get(0).equals(Step.ANY);
  }

  /** What is wanted of each of so many statements; null if the numbers do not fit. */
  List<Step> steps(int statements) {
    if (wantsNothing()) {
      return Stream.generate(() -> Step.ANY).limit(statements).toList();
    }
    return steps.size() == statements ? steps : null;
  }
}
