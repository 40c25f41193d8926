package io.shardload.workload.statements.definition;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The sections {@code workload.transactions} and {@code workload.checks}.
 *
 * @param transactions by name, one for each folder of a transaction
 * @param checks when each check is run, by name
 */
public record Definitions(
    Map<String, TransactionDefinition> transactions, Map<String, CheckTime> checks) {
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
    Map<String, TransactionDefinition> ofTransactions = new LinkedHashMap<>();
    Map<String, CheckTime> ofChecks = new LinkedHashMap<>();
    ConfigException.all(
        () ->
            ofTransactions.putAll(
                all(
                    new Options("workload.transactions", transactionSection),
                    "transaction",
                    transactions,
                    TransactionDefinition::read)),
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
}
