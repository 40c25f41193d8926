package io.shardload.parity;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The result of comparing one transaction so far. */
public final class Line {
  private final String name;
  private long calls;
  private long rows;
  private long loose;
  private Difference difference;
  private String apart = "";

  Line(String name) {
    this.name = name;
  }

  /**
   * The first difference.
   *
   * @param where the number of the call, from 1, or the state after the calls
   * @param arguments arguments of the call, or empty
   * @param sides the answers by target
   */
  public record Difference(String where, String arguments, Map<String, String> sides) {}

  /**
   * One call was compared.
   *
   * @param found rows that it needed to find or change
   * @param isLoose whether other rows would have been right, too
   */
  void called(long found, boolean isLoose) {
    calls++;
    rows += found;
    loose += isLoose ? 1 : 0;
  }

  /** Keeps the first difference. */
  void differs(String where, String arguments, Map<String, String> wrong) {
    if (difference == null) {
      difference = new Difference(where, arguments, new LinkedHashMap<>(wrong));
    }
  }

  public String name() {
    return name;
  }

  /** How often it was called on each side. */
  public long calls() {
    return calls;
  }

  /** Rows that each side needed to find or change. */
  public long rows() {
    return rows;
  }

  /**
   * Calls that matched more rows than a find may return: for these, parity compares the row count
   * and checks that each row matches.
   */
  public long loose() {
    return loose;
  }

  /** Only these targets have the transaction: it is left out. */
  void isOnlyOf(List<String> targets) {
    apart = String.join(", ", targets);
  }

  /** The only targets that have it; empty if all have it. */
  public String apart() {
    return apart;
  }

  /** The first difference, or null. */
  public Difference difference() {
    return difference;
  }
}
