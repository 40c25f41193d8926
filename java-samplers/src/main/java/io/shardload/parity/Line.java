package io.shardload.parity;

import java.util.LinkedHashMap;
import java.util.Map;

/** What the comparison of one transaction has brought so far. */
public final class Line {
  private final String name;
  private long calls;
  private long rows;
  private long loose;
  private Difference difference;

  Line(String name) {
    this.name = name;
  }

  /**
   * The first difference.
   *
   * @param where the number of the call, from 1, or the state after the calls
   * @param arguments what was asked, or empty
   * @param expected what the workload says had to come
   * @param sides what came, by target; those that were right say so with what was expected
   */
  public record Difference(
      String where, String arguments, String expected, Map<String, String> sides) {}

  /** One call was compared. */
  void called(Answer right) {
    calls++;
    rows += right.count();
    loose += Comparison.isLoose(right) ? 1 : 0;
  }

  /** Keeps the first difference. */
  void differs(String where, String arguments, String expected, Map<String, String> wrong) {
    if (difference == null) {
      difference = new Difference(where, arguments, expected, new LinkedHashMap<>(wrong));
    }
  }

  public String name() {
    return name;
  }

  /** How often it was called on each side. */
  public long calls() {
    return calls;
  }

  /** Rows that had to be found or changed, on each side. */
  public long rows() {
    return rows;
  }

  /**
   * Calls that matched more rows than may come back: there the count was compared, and that each
   * row is one of those that match.
   */
  public long loose() {
    return loose;
  }

  /** The first difference, or null. */
  public Difference difference() {
    return difference;
  }
}
