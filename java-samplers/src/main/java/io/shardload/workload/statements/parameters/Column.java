package io.shardload.workload.statements.parameters;

import io.shardload.data.Bits;
import io.shardload.data.Draws;

/**
 * A column of a table, any row of which can be made at any time.
 *
 * @param name of the column
 * @param values how they are made
 * @param seed of its own streams: a row of another column has other draws
 */
record Column(String name, Parameter values, long seed) {
  static Column of(long seed, String table, String name, Parameter values) {
    return new Column(name, values, Bits.hash(seed, hash(table), hash(name)));
  }

  /** The same for a name on every machine and in every release. */
  static long hash(String name) {
    long hash = name.length();
    for (int i = 0; i < name.length(); i++) {
      hash = Bits.hash(hash, name.charAt(i));
    }
    return hash;
  }

  /** The value in a row, from 0; also in one that is yet to be added. */
  Object at(long row) {
    return at(new Draws(), new Occasion(row, Occasion.Recent.NONE, 0));
  }

  /**
   * As {@link #at(long)}.
   *
   * @param draws to use again
   * @param row its fresh number is that of the row
   */
  Object at(Draws draws, Occasion row) {
    return values.draw(draws.at(seed, row.fresh()), row);
  }
}
