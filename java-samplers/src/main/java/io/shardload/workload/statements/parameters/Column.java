package io.shardload.workload.statements.parameters;

import io.shardload.data.Bits;
import io.shardload.data.Draws;

/**
 * A column of a table; its value for any row can be generated at any time.
 *
 * @param name of the column
 * @param values the generator of the values
 * @param seed of its own random streams: each column has different draws for a row
 * @param changes whether each edition of a row has another value
 */
record Column(String name, Parameter values, long seed, boolean changes) {
  static Column of(long seed, String table, String name, Parameter values, boolean changes) {
    return new Column(name, values, Bits.hash(seed, hash(table), hash(name)), changes);
  }

  /** The same with a part of its values. */
  Column with(Parameter part) {
    return new Column(name, part, seed, changes);
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
    int edition = changes ? row.row().edition() : 0;
    long stream = edition == 0 ? seed : Bits.hash(seed, edition);
    return values.draw(draws.at(stream, row.fresh()), row);
  }
}
