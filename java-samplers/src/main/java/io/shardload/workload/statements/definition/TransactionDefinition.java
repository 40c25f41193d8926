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
}
