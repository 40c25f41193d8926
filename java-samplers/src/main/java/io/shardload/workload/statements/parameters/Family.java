package io.shardload.workload.statements.parameters;

import io.shardload.data.Bits;

/**
 * The rows of a child table by the rows of its parent table: so many for each, one parent after the
 * other. Both directions are computed from a number alone, so a load needs no memory for it.
 *
 * <p>So many parents in a row as there are numbers from the least to the most have each of these
 * numbers once, in an order that the seed gives. Immutable and thread-safe.
 *
 * @param parent name of the parent table
 * @param least rows of a parent
 * @param most rows of a parent, at least 1
 * @param rows that the load creates
 * @param seed of the orders
 * @param grows whether a new parent has children of its own. Otherwise the rows that calls add
 *     belong to loaded parents, in a seeded order
 */
public record Family(String parent, long least, long most, long rows, long seed, boolean grows) {
  /** The rows of a parent may be at most so many. */
  static final int MOST = 1000;

  /**
   * A row of the child table.
   *
   * @param parent number of its parent
   * @param position among the rows of its parent, from 0
   */
  record Place(long parent, long position) {}

  private long block() {
    return most - least + 1;
  }

  private long rowsOfBlock() {
    return block() * (least + most) / 2;
  }

  private References.Scatter order(long block) {
    return new References.Scatter(Bits.hash(seed, block), block());
  }

  /**
   * The family of so many parents.
   *
   * @param parents rows of the parent table that the load creates
   */
  static Family of(String parent, long least, long most, long parents, long seed, boolean grows) {
    long rows = new Family(parent, least, most, 0, seed, grows).first(parents);
    return new Family(parent, least, most, rows, seed, grows);
  }

  /** How many rows a parent has. */
  public long count(long ofParent) {
    return least + order(ofParent / block()).of(ofParent % block());
  }

  /** The number of the first row of a parent; the next parent's where it has none. */
  public long first(long ofParent) {
    References.Scatter order = order(ofParent / block());
    long row = ofParent / block() * rowsOfBlock();
    for (long i = 0; i < ofParent % block(); i++) {
      row += least + order.of(i);
    }
    return row;
  }

  /** The parent of a row, and where the row is among its rows. */
  Place place(long row) {
    long one = grows || row < rows ? row : new References.Scatter(seed, rows).of(row % rows);
    long block = one / rowsOfBlock();
    long rest = one % rowsOfBlock();
    References.Scatter order = order(block);
    for (long i = 0; ; i++) {
      long count = least + order.of(i);
      if (rest < count) {
        return new Place(block * block() + i, rest);
      }
      rest -= count;
    }
  }
}
