package io.shardload.parity;

import io.shardload.workload.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What one system answered to one call of a workload folder.
 *
 * @param outcome in one word, with the kind of a failure
 * @param rows each with its values by their common names, in the form of {@link Canonical}
 * @param order the name by which the rows are sorted, or empty
 * @param isLimited whether there may be more rows that meet the conditions
 */
record Answered(String outcome, List<Map<String, String>> rows, String order, boolean isLimited) {
  private static final int LONGEST = 160;

  /** How a call ends that works alone. */
  private static final Set<String> SOUND = Set.of("done", "nothing found", "refused");

  /** How a call ended, without the numbers that depend on a system's model of the data. */
  static String words(Outcome outcome) {
    if (outcome instanceof Outcome.Done done) {
      return done.stale() ? "stale" : "done";
    }
    if (outcome instanceof Outcome.Missing missing) {
      return missing.stale() ? "stale" : "nothing found";
    }
    if (outcome instanceof Outcome.Failed failed) {
      return failed.kind();
    }
    return outcome instanceof Outcome.Unknown unknown ? unknown.kind() : "refused";
  }

  /** The same as if there were no other rows that meet the conditions. */
  Answered whole() {
    return new Answered(outcome, rows, order, false);
  }

  /** The answer in a few words. */
  String summary() {
    return rows.isEmpty() ? outcome : count(rows.size());
  }

  static String count(long rows) {
    return rows == 1 ? "1 row" : rows + " rows";
  }

  /** The same with some of the values alone. */
  Answered of(Set<String> names) {
    List<Map<String, String>> kept = new ArrayList<>();
    for (Map<String, String> row : rows) {
      Map<String, String> part = new LinkedHashMap<>(row);
      part.keySet().retainAll(names);
      kept.add(part);
    }
    return new Answered(outcome, kept, names.contains(order) ? order : "", isLimited);
  }

  /**
   * How two answers differ, in the words for each of them; null if they do not. The same failure on
   * both sides is a difference: it shows nothing about the answers.
   */
  static List<String> difference(Answered one, Answered other) {
    if (!one.outcome.equals(other.outcome) || one.rows.size() != other.rows.size()) {
      return one.beside(other, one.rows, other.rows);
    }
    if (!SOUND.contains(one.outcome)) {
      return List.of(one.outcome, other.outcome);
    }
    boolean inOrder = !one.order.isEmpty() && one.order.equals(other.order);
    if (!inOrder) {
      return one.isLimited && other.isLimited ? null : one.beside(other, one.rows, other.rows);
    }
    for (int from = 0; from < one.rows.size(); ) {
      int end = one.endOfTie(from);
      boolean isCut = end == one.rows.size() && one.isLimited && other.isLimited;
      List<String> difference =
          isCut
              ? one.beside(other, one.keys(from, end), other.keys(from, end))
              : one.beside(other, one.rows.subList(from, end), other.rows.subList(from, end));
      if (difference != null) {
        return difference;
      }
      from = end;
    }
    return null;
  }

  /** The end of the rows that have the same place in the order. */
  private int endOfTie(int from) {
    int end = from + 1;
    while (end < rows.size() && rows.get(end).get(order).equals(rows.get(from).get(order))) {
      end++;
    }
    return end;
  }

  /** Of rows that a limit chose among others, only their place in the order is certain. */
  private List<Map<String, String>> keys(int from, int end) {
    return rows.subList(from, end).stream().map(row -> Map.of(order, row.get(order))).toList();
  }

  private List<String> beside(
      Answered other, List<Map<String, String>> mine, List<Map<String, String>> others) {
    List<Map<String, String>> left = without(mine, others);
    List<Map<String, String>> right = without(others, mine);
    if (left.isEmpty() && right.isEmpty()) {
      return outcome.equals(other.outcome) ? null : List.of(summary(), other.summary());
    }
    Map<String, String> first = left.isEmpty() ? Map.of() : left.get(0);
    Map<String, String> second = right.isEmpty() ? Map.of() : right.get(0);
    return List.of(summary() + shown(first, second), other.summary() + shown(second, first));
  }

  /** The rows that others do not have, each as often as it is missing there. */
  private static List<Map<String, String>> without(
      List<Map<String, String>> rows, List<Map<String, String>> others) {
    Map<Map<String, String>, Integer> there = new LinkedHashMap<>();
    others.forEach(row -> there.merge(row, 1, Integer::sum));
    List<Map<String, String>> left = new ArrayList<>();
    for (Map<String, String> row : rows) {
      if (there.merge(row, -1, Integer::sum) < 0) {
        left.add(row);
      }
    }
    return left;
  }

  /** A row that the other side lacks; only what differs where it has one in its place. */
  private static String shown(Map<String, String> row, Map<String, String> other) {
    if (row.isEmpty()) {
      return "";
    }
    Map<String, String> differing = new TreeMap<>(row);
    differing.entrySet().removeIf(one -> one.getValue().equals(other.get(one.getKey())));
    String text = differing.toString();
    text = text.substring(1, text.length() - 1);
    return ", with " + (text.length() > LONGEST ? text.substring(0, LONGEST) + "..." : text);
  }
}
