package io.shardload.driver.jdbc.store;

/** The SQL of a scratch schema or database. */
public interface ScratchSql {
  /** What the server calls such a place: schema or database. */
  String word();

  /** Takes the lock of the place, unless another connection has it: one truth. */
  String tryLock();

  /** The application that has the lock. */
  String holder();

  /**
   * The comment of the place.
   *
   * @param otherwise the answer if there is no such place, or nothing is in it
   */
  String comment(String otherwise);

  /**
   * A table in the place that is none of these; no row if there is none.
   *
   * @param known names, separated by commas
   */
  String foreign(String known);

  /** Makes the place. */
  String create(String comment);

  /** Drops the place and all that is in it, if it exists. */
  String drop();
}
