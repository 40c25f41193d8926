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
 */
public record Occasion(long fresh, Recent recent, long nowMillis, Function<String, Object> call) {
  /** The row of a table, from 0; also one that is not added yet. */
  static Occasion row(long number) {
    return new Occasion(number, Recent.NONE, 0, Occasion::none);
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
