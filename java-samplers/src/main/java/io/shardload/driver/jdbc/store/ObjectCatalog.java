package io.shardload.driver.jdbc.store;

import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/**
 * What a system has of its own where a data set's record is kept: its objects in the server's
 * catalog, and words of SQL. Thread-safe.
 */
public interface ObjectCatalog {
  /**
   * The statements that create the tables shardload_header and shardload_state unless they exist.
   */
  List<String> createRecord();

  /**
   * An expression of statements on shardload_header that is another value in each table of this
   * name: a header that was restored from a dump owns nothing.
   */
  String identity();

  /** The same in the VALUES of an INSERT. */
  String insertedIdentity();

  /** What ends an INSERT that replaces a column of a row with the same key. */
  String orReplace(String key, String column);

  /** Whether a statement failed because a table does not exist. */
  boolean lacksTable(SQLException e);

  /** The tables with these names, by name, as a statement on this connection would find them. */
  Map<String, DataObject> look(Connection connection, List<String> names) throws SQLException;

  /** What a drop of these objects would take with it, in words. */
  List<String> attached(Connection connection, List<DataObject> objects) throws SQLException;

  /** Drops what still exists under its name with its identity. */
  void drop(Connection transaction, List<DataObject> objects) throws SQLException, CallFailure;

  /** Called before something is made in a transaction: the result finds what has been made. */
  Made making(Connection transaction) throws SQLException;

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
