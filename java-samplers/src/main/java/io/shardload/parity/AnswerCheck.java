package io.shardload.parity;

import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.Key;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Compares an answer with the right answer. */
final class AnswerCheck {
  private static final int LONGEST_VALUE = 40;

  private AnswerCheck() {}

  /**
   * Whether the reference found more rows than the find may return: then any choice of them is
   * right.
   */
  static boolean isLoose(Answer right) {
    return right instanceof Answer.Rows rows && rows.rows().size() > rows.limit();
  }

  /** How an answer differs from the right answer, in a few words; empty if it does not differ. */
  static String difference(Answer right, Answer answer) {
    if (right instanceof Answer.Rows expected && answer instanceof Answer.Rows found) {
      String row = rows(expected, found.rows());
      return row.isEmpty() ? "" : found + ", " + row;
    }
    if (right instanceof Answer.Failure expected && answer instanceof Answer.Failure failure) {
      return expected.kind().equals(failure.kind()) ? "" : failure.toString();
    }
    return right.equals(answer) ? "" : String.valueOf(answer);
  }

  private static String rows(Answer.Rows expected, List<Document> found) {
    Map<Key, Document> right = new HashMap<>();
    expected.rows().forEach(row -> right.put(row.key(), row));
    Set<Key> seen = new HashSet<>();
    for (Document row : found) {
      Key key = row.key();
      String difference = row(right.get(key), row);
      if (!difference.isEmpty()) {
        return difference;
      }
      if (!seen.add(key)) {
        return "row " + key.filter1() + " was returned twice";
      }
    }
    int due = Math.min(expected.rows().size(), expected.limit());
    if (found.size() > due) {
      return "more than " + due;
    }
    if (found.size() == due) {
      return "";
    }
    right.keySet().removeAll(seen);
    return isLoose(expected)
        ? "fewer than " + due
        : "without row " + right.keySet().iterator().next().filter1();
  }

  /**
   * How a row differs from the right row with the same key; empty if it does not differ.
   *
   * @param right null if there is none
   */
  static String row(Document right, Document row) {
    if (row.equals(right)) {
      return "";
    }
    if (right == null) {
      return "row " + row.filter1() + " does not belong to the result";
    }
    Object[][] columns = {
      {"filter2", right.filter2(), row.filter2()},
      {"filter3", right.filter3(), row.filter3()},
      {"filter4", right.filter4(), row.filter4()},
      {"filter5", right.filter5(), row.filter5()},
      {"edition", right.edition(), row.edition()},
      {"document", right.document(), row.document()},
    };
    for (Object[] column : columns) {
      if (!Objects.equals(column[1], column[2])) {
        return "%s of row %s is %s, not %s"
            .formatted(column[0], row.filter1(), shown(column[2]), shown(column[1]));
      }
    }
    return "row " + row.filter1() + " differs";
  }

  private static String shown(Object value) {
    if (value instanceof String text) {
      return text.length() <= LONGEST_VALUE
          ? '"' + text + '"'
          : '"' + text.substring(0, LONGEST_VALUE) + "...\" (" + text.length() + " characters)";
    }
    return String.valueOf(value);
  }
}
