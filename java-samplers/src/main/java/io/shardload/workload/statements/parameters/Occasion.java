package io.shardload.workload.statements.parameters;

import java.util.function.Function;

/**
 * What a value may depend on in addition to its draws.
 *
 * @param fresh new number that no other call of the data set has, from 0: loaded rows do not count;
 *     -1 if the call has claimed none
 * @param recent the rows that this generator has added
 * @param nowMillis the time of the call, since the epoch
 * @param call the values that other parameters of the call have, by name
 * @param row the row of the entity that the call works on, or the row whose column is made
 */
public record Occasion(
    long fresh, Recent recent, long nowMillis, Function<String, Object> call, Row row) {
  /**
   * A row of a table.
   *
   * @param number from 0; also of one that is not added yet
   * @param edition how often it was updated: after the call that works on it
   * @param before the same before that call
   */
  public record Row(long number, int edition, int before) {
    public static final Row NONE = new Row(-1, 0, 0);
  }

  /** Of a call that works on no row of the entity. */
  public Occasion(long fresh, Recent recent, long nowMillis, Function<String, Object> call) {
    this(fresh, recent, nowMillis, call, Row.NONE);
  }

  /** The row of a table, from 0; also one that is not added yet. */
  static Occasion row(long number) {
    return row(new Row(number, 0, 0));
  }

  static Occasion row(Row row) {
    return new Occasion(row.number(), Recent.NONE, 0, Occasion::none, row);
  }

  private static Object none(String name) {
    throw new IllegalStateException("there is no call with a parameter " + name);
  }

  /** The new numbers whose rows were acknowledged to this generator. */
  public interface Recent {
    /** None yet. */
    Recent NONE =
        new Recent() {
          @Override
          public long count() {
            return 0;
          }

          @Override
          public long at(long age) {
            throw new IndexOutOfBoundsException();
          }
        };

    long count();

    /** The new number of a row by its age: 0 is the newest. */
    long at(long age);
  }
}
