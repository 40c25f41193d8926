package io.shardload.workload.statements.port;

/** The values of a statement that is run once for each element of a list. */
public final class Repetition {
  private Repetition() {}

  /**
   * How often a statement is run.
   *
   * @param values of the call
   * @param slots of those that the statement has
   */
  public static int times(Step step, Object[] values, int[] slots) {
    if (step.each().isEmpty()) {
      return 1;
    }
    for (int slot : slots) {
      if (slot < values.length && values[slot] instanceof Object[] each) {
        return each.length;
      }
    }
    throw new IllegalArgumentException("the statement has no value of " + step.each());
  }

  /**
   * What a value is at a repetition.
   *
   * @return null if the list has fewer elements
   */
  public static Object at(Object value, int repetition) {
    if (value instanceof Object[] each) {
      return repetition < each.length ? each[repetition] : null;
    }
    return value;
  }
}
