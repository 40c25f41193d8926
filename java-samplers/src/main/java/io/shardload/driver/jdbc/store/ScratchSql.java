package io.shardload.driver.jdbc.store;

/**
 * The SQL of a scratch schema or database.
 *
 * @param word what the server calls such a place: schema or database
 * @param tryLock takes the lock of the place, unless another connection has it: one truth
 * @param holder the application that has the lock
 * @param comment of the place, or any text if it has none; no row if there is no such place, or
 *     nothing is in it
 * @param foreign a table in the place whose name is not in the list {@code '%1$s'} with commas; no
 *     row if there is none
 * @param create makes the place with the comment {@code '%1$s'}
 * @param right that {@code create} needs, as GRANT names it
 * @param drop drops the place and all that is in it, if it exists
 */
public record ScratchSql(
    String word,
    String tryLock,
    String holder,
    String comment,
    String foreign,
    String create,
    String right,
    String drop) {
  /** A text within a statement. */
  static String with(String sql, String text) {
    return sql.formatted(text.replace("'", "''"));
  }
}
