package io.shardload.driver.jdbc.store;

import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a system has of its own where a data set's record is kept: its objects in the server's
 * catalog, and words of SQL. Thread-safe.
 */
public interface ObjectCatalog {
  /**
   * Words of SQL.
   *
   * @param text the type of texts of any length
   * @param bytes the type of bytes of any length
   * @param number the type of an identity
   * @param ending of CREATE TABLE
   * @param identity an expression of statements on shardload_header that is another value in each
   *     table of this name: a header that was restored from a dump owns nothing
   * @param insertedIdentity the same in the VALUES of an INSERT
   * @param orReplace what ends an INSERT that replaces the column {@code %2$s} of a row with the
   *     same key {@code %1$s}
   * @param noTable the SQLSTATE of a statement whose table does not exist
   */
  record Words(
      String text,
      String bytes,
      String number,
      String ending,
      String identity,
      String insertedIdentity,
      String orReplace,
      String noTable) {}

  Words words();

  /** The tables with these names, by name, as a statement on this connection would find them. */
  Map<String, DataObject> look(Connection connection, List<String> names) throws SQLException;

  /** The same of a question without parameters. */
  static Map<String, DataObject> read(Connection connection, String sql) throws SQLException {
    try (PreparedStatement asked = connection.prepareStatement(sql)) {
      return read(asked);
    }
  }

  /** Objects by name, of rows with name, kind, name as SQL writes it, and identity. */
  static Map<String, DataObject> read(PreparedStatement asked) throws SQLException {
    Map<String, DataObject> all = new LinkedHashMap<>();
    try (ResultSet row = asked.executeQuery()) {
      while (row.next()) {
        all.put(
            row.getString(1),
            new DataObject(row.getString(2), row.getString(3), row.getString(4), false));
      }
    }
    return all;
  }

  /** What a drop of these objects would take with it, in words. */
  default List<String> attached(Connection connection, List<DataObject> objects)
      throws SQLException {
    return List.of();
  }

  /** Drops what still exists under its name with its identity. */
  void drop(Connection transaction, List<DataObject> objects) throws SQLException, CallFailure;

  /** Called before something is made in a transaction: the result finds what has been made. */
  Made making(Connection transaction) throws SQLException;

  /** Drops what has been made where the server does not roll it back with the transaction. */
  default void undo(Connection transaction, Made made) throws SQLException, CallFailure {}

  /** Finds what has been made. */
  @FunctionalInterface
  interface Made {
    /**
     * The objects.
     *
     * @param outside a connection outside of the transaction
     */
    List<DataObject> seen(Connection outside) throws SQLException;
  }
}
