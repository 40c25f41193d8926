package io.shardload.workload.statements.parameters;

import io.shardload.data.Bits;
import io.shardload.data.Draws;

/**
 * A column of a table; its value for any row can be generated at any time.
 *
 * @param name of the column
 * @param values the generator of the values
 * @param seed of its own random streams: each column has different draws for a row
 */
record Column(String name, Parameter values, long seed) {
  static Column of(long seed, String table, String name, Parameter values) {
    return new Column(name, values, Bits.hash(seed, hash(table), hash(name)));
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
   * As {@link #at(long)}.
   *
   * @param draws for reuse
   * @param row its new number is the row's number
   */
  Object at(Draws draws, Occasion row) {
    return values.draw(draws.at(seed, row.fresh()), row);
  }
}
