package io.shardload.workload.statements.parameters;

/**
 * What a value may depend on beside its draws.
 *
 * @param fresh number that no other call of the data set has, from 0: the rows that were loaded do
 *     not count; -1 if the call has claimed none
 * @param recent the rows that this generator has added
 * @param nowMillis the time of the call, since the epoch
 */
public record Occasion(long fresh, Recent recent, long nowMillis) {
  /** The fresh numbers whose rows were acknowledged, as far as this generator knows. */
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

    /** The fresh number of an age: 0 is the newest. */
    long at(long age);
  }
}
