package io.shardload.workload.statements.parameters;

import io.shardload.data.Bits;
import io.shardload.data.Draws;
import io.shardload.workload.statements.port.Equality;

/**
 * A column of a table; its value for any row can be generated at any time.
 *
 * @param name of the column
 * @param values the generator of the values
 * @param key of its own random streams: each column has different draws for a row
 * @param changes whether each edition of a row has another value
 * @param verified whether a row that is followed must keep its value
 */
record Column(String name, Parameter values, long key, boolean changes, boolean verified) {
  /** The key of a column that has a number for its draws. */
  static final String STREAM = "stream";

  /** The key of a column that may have any value later. */
  static final String VERIFY = "verify";

  static final long MOST_STREAMS = 1_000_000;

  /**
   * @param stream number of its draws; 0 if the names of table and column decide
   */
  static Column of(
      long seed,
      long stream,
      String table,
      String name,
      Parameter values,
      boolean changes,
      boolean verified) {
    long own = stream > 0 ? stream : Bits.hash(hash(table), hash(name));
    return new Column(name, values, Bits.hash(seed, own), changes, verified);
  }

  /** The key {@code stream}; 0 without it. */
  static long stream(Spec spec) {
    return spec.integer(STREAM, 0, 1, MOST_STREAMS);
  }

  /** The same with a part of its values. */
  Column with(Parameter part) {
    return new Column(name, part, key, changes, verified);
  }

  /** The seed of a name, equal on every machine and in every release. */
  static long hash(String name) {
    long hash = name.length();
    for (int i = 0; i < name.length(); i++) {
      hash = Bits.hash(hash, name.charAt(i));
    }
    return hash;
  }

  /** The value in a row, from 0; also for a row that is not added yet. */
  Object at(long row) {
    return at(new Draws(), Occasion.row(row));
  }

  /**
   * Whether a value that was read is the one in a row.
   *
   * @param index of the column for the equality
   */
  boolean holds(Equality equality, int index, Object read, Occasion.Row row) {
    Object right;
    try {
      right = at(new Draws(), Occasion.row(row));
    } catch (IllegalStateException e) {
      // A CSV has no value for the row, so nobody wrote it.
      return false;
    }
    boolean isNull = read == null || right == null;
    return isNull ? read == right : equality.holds(index, read, right);
  }

  /**
   * As {@link #at(long)}.
   *
   * @param draws for reuse
   * @param row its new number is the row's number
   */
  Object at(Draws draws, Occasion row) {
    Draws own =
        changes
            ? draws.ofRow(key, row.fresh(), row.row().edition())
            : draws.ofRow(key, row.fresh());
    return values.draw(own, row);
  }
}
