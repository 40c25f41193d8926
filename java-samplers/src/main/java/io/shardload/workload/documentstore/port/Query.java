package io.shardload.workload.documentstore.port;

import java.util.List;
import java.util.UUID;

/**
 * A find with its values.
 *
 * @param values one of each condition in their order, and a second one of the last condition if its
 *     relation is {@link Find.Relation#AMONG}
 */
public record Query(Find find, UUID id, List<Object> values) {
  /** Whether a row without null satisfies the conditions. */
  public boolean matches(Document row) {
    List<Find.Condition> conditions = find.conditions();
    boolean matches = id.equals(row.id());
    for (int i = 0; matches && i < conditions.size(); i++) {
      Column column = conditions.get(i).column();
      matches =
          switch (conditions.get(i).relation()) {
            case EQUAL -> values.get(i).equals(row.value(column));
            case AMONG -> values.lastIndexOf(row.value(column)) >= i;
            case AT_MOST -> row.filter3() <= (long) values.get(i);
          };
    }
    return matches;
  }
}
