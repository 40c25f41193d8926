package io.shardload.workload.statements.calls;

import io.shardload.config.Options;
import io.shardload.workload.Model;

/**
 * How a read chooses its row: the one with the least value of a column among some rows of a group.
 *
 * @param path of its section
 * @param least the column
 * @param within the column whose values are the groups
 * @param rows of the group that have no greater value, on average
 */
public record Choice(String path, String least, String within, long rows) {
  /** The key in {@code workload.yml}. */
  public static final String KEY = "choose";

  public static Choice read(Options section) {
    Options own = section.section(KEY);
    Choice choice =
        new Choice(
            section.pathOf(KEY),
            own.requiredText("least"),
            own.requiredText("within"),
            own.integer("rows", 1, 1, Model.MOST_DOCUMENTS));
    own.rejectUnknown();
    return choice;
  }
}
