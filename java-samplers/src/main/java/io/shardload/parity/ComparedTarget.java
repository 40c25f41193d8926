package io.shardload.parity;

import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.Key;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One target that takes part.
 *
 * @param name of the target
 * @param admin of its scratch tables
 */
public record ComparedTarget(String name, DocumentStoreAdmin admin, DocumentStore store) {

  /**
   * How the whole state of the target differs from the right state, in a few words; empty if it
   * does not differ.
   */
  String stateDifference(Map<Key, Document> right) throws CallFailure {
    Set<Key> seen = new HashSet<>();
    List<String> first = new ArrayList<>();
    long[] walked = {0};
    admin.walk(
        row -> {
          walked[0]++;
          Key key = row.key();
          String difference = AnswerCheck.row(right.get(key), row);
          if (difference.isEmpty() && !seen.add(key)) {
            difference = "row " + key.filter1() + " occurs twice";
          }
          if (!difference.isEmpty() && first.isEmpty()) {
            first.add(difference);
          }
        });
    if (first.isEmpty() && seen.size() < right.size()) {
      Key missing =
          right.keySet().stream().filter(key -> !seen.contains(key)).findFirst().orElseThrow();
      first.add("without row " + missing.filter1());
    }
    return first.isEmpty() ? "" : Answer.Rows.count(walked[0]) + ", " + first.get(0);
  }
}
