package io.shardload.workload.statements.definition;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * A count of calls that a check may use: {@code done_place_order}, {@code unknown_place_order}.
 *
 * @param transaction whose calls are counted
 * @param done calls that took effect; otherwise calls that may have taken effect
 */
public record CallCount(String transaction, boolean done) {
  private static final String DONE = "done_";
  private static final String UNKNOWN = "unknown_";

  /** The count for a name in a statement; empty if it matches none of these transactions. */
  public static Optional<CallCount> parse(String name, Collection<String> transactions) {
    for (String transaction : transactions) {
      if (name.equals(DONE + snake(transaction))) {
        return Optional.of(new CallCount(transaction, true));
      }
      if (name.equals(UNKNOWN + snake(transaction))) {
        return Optional.of(new CallCount(transaction, false));
      }
    }
    return Optional.empty();
  }

  /** All names of counts. */
  public static List<String> names(Collection<String> transactions) {
    List<String> all = new ArrayList<>();
    for (String transaction : transactions) {
      all.add(DONE + snake(transaction));
      all.add(UNKNOWN + snake(transaction));
    }
    return all;
  }

  private static String snake(String transaction) {
    return transaction.replace('-', '_');
  }
}
