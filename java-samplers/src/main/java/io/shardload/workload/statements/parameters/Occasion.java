package io.shardload.workload.statements.parameters;

/**
 * What a value may depend on in addition to its draws.
 *
 * @param fresh new number that no other call of the data set has, from 0: loaded rows do not count;
 *     -1 if the call has claimed none
 * @param recent the rows that this generator has added
 * @param nowMillis the time of the call, since the epoch
 */
public record Occasion(long fresh, Recent recent, long nowMillis) {
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
