package io.shardload.driver.postgresql.store;

import io.shardload.driver.postgresql.client.Failures;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.Find;
import io.shardload.workload.documentstore.port.Query;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;

/** The ten transactions in SQL. The text of each find is made once, from its conditions. */
public class PostgresqlDocumentStore implements DocumentStore {
  private static final String COLUMNS = CopyFormat.COLUMNS;
  private static final Map<Find, String> FINDS = new EnumMap<>(Find.class);

  static {
    for (Find find : Find.values()) {
      FINDS.put(find, sql(find));
    }
  }

  private final DataSource connections;
  private final DataSource forFinds;
  private final int fetchSize;
  private final int cancelAfterSeconds;

  /**
   * @param fetchSize rows per round trip, or 0 for all at once
   */
  protected PostgresqlDocumentStore(DataSource connections, int fetchSize) {
    this(connections, connections, fetchSize, 0);
  }

  /**
   * @param connections for writes
   * @param forFinds for finds, which may go to replicas
   * @param fetchSize rows per round trip, or 0 for all at once
   * @param cancelAfterSeconds when the client has a statement cancelled, or 0 for never
   */
  public PostgresqlDocumentStore(
      DataSource connections, DataSource forFinds, int fetchSize, int cancelAfterSeconds) {
    this.cancelAfterSeconds = cancelAfterSeconds;
    this.connections = connections;
    this.forFinds = forFinds;
    this.fetchSize = fetchSize;
  }

  @Override
  public void insert(Document document, Phases phases) throws CallFailure {
    write(
        "INSERT INTO data_table (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        statement -> {
          statement.setObject(1, document.id());
          statement.setString(2, document.filter1());
          statement.setString(3, document.filter2());
          statement.setLong(4, document.filter3());
          statement.setString(5, document.filter4());
          statement.setString(6, document.filter5());
          statement.setString(7, document.document());
          statement.setInt(8, document.edition());
        },
        phases);
  }

  @Override
  public long update(UUID id, String filter1, int edition, Change change, Phases phases)
      throws CallFailure {
    return write(
        "UPDATE data_table SET filter2 = ?, filter3 = ?, filter4 = ?, filter5 = ?, edition = ?,"
            + " updated = now() WHERE id = ? AND filter1 = ? AND edition = ?",
        statement -> {
          statement.setString(1, change.filter2());
          statement.setLong(2, change.filter3());
          statement.setString(3, change.filter4());
          statement.setString(4, change.filter5());
          statement.setInt(5, change.edition());
          statement.setObject(6, id);
          statement.setString(7, filter1);
          statement.setInt(8, edition);
        },
        phases);
  }

  @Override
  public long delete(UUID id, String filter1, Phases phases) throws CallFailure {
    return write(
        "DELETE FROM data_table WHERE id = ? AND filter1 = ?",
        statement -> {
          statement.setObject(1, id);
          statement.setString(2, filter1);
        },
        phases);
  }

  @Override
  public List<Document> find(Query query, Phases phases) throws CallFailure {
    return find(FINDS.get(query.find()), statement -> set(statement, query), phases);
  }

  static String sql(Find find) {
    StringBuilder sql = new StringBuilder("SELECT " + COLUMNS + " FROM data_table WHERE id = ?");
    for (Find.Condition condition : find.conditions()) {
      sql.append(" AND ").append(condition.column().title());
      sql.append(
          switch (condition.relation()) {
            case EQUAL -> " = ?";
            case AMONG -> " IN (?, ?)";
            case AT_MOST -> " <= ?";
          });
    }
    return sql + " LIMIT " + (find.limit() == 1 ? "1" : find.limit() + " OFFSET 0");
  }

  private static void set(PreparedStatement statement, Query query) throws SQLException {
    statement.setObject(1, query.id());
    List<Object> values = query.values();
    for (int i = 0; i < values.size(); i++) {
      if (values.get(i) instanceof Long number) {
        statement.setLong(i + 2, number);
      } else {
        statement.setString(i + 2, (String) values.get(i));
      }
    }
  }

  /** Sets the arguments of a statement. */
  @FunctionalInterface
  public interface Arguments {
    void set(PreparedStatement statement) throws SQLException;
  }

  /** Sends a statement that changes rows, and returns how many. */
  protected long write(String sql, Arguments arguments, Phases phases) throws CallFailure {
    try (Connection connection = connect(connections, phases);
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setQueryTimeout(cancelAfterSeconds);
      arguments.set(statement);
      int rows = statement.executeUpdate();
      phases.acknowledged();
      Failures.OUTCOMES.checkAcknowledged(statement.getWarnings());
      return rows;
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  /** Sends a statement that finds rows. */
  protected List<Document> find(String sql, Arguments arguments, Phases phases) throws CallFailure {
    try (Connection connection = connect(forFinds, phases)) {
      if (fetchSize == 0) {
        return rows(connection, sql, arguments, phases);
      }
      // A cursor lives in a transaction.
      connection.setAutoCommit(false);
      List<Document> rows = rows(connection, sql, arguments, phases);
      connection.commit();
      connection.setAutoCommit(true);
      return rows;
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  private List<Document> rows(Connection connection, String sql, Arguments arguments, Phases phases)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setFetchSize(fetchSize);
      statement.setQueryTimeout(cancelAfterSeconds);
      arguments.set(statement);
      try (ResultSet result = statement.executeQuery()) {
        phases.found();
        List<Document> rows = new ArrayList<>();
        while (result.next()) {
          rows.add(row(result));
        }
        return rows;
      }
    }
  }

  static Document row(ResultSet result) throws SQLException {
    long filter3 = result.getLong(4);
    boolean withoutFilter3 = result.wasNull();
    int edition = result.getInt(8);
    boolean withoutEdition = result.wasNull();
    return new Document(
        result.getObject(1, UUID.class),
        result.getString(2),
        result.getString(3),
        withoutFilter3 ? -1 : filter3,
        result.getString(5),
        result.getString(6),
        result.getString(7),
        withoutEdition ? -1 : edition);
  }

  private static Connection connect(DataSource source, Phases phases) throws CallFailure {
    try {
      Connection connection = source.getConnection();
      phases.connected();
      return connection;
    } catch (SQLException e) {
      throw Failures.OUTCOMES.connect(e);
    }
  }
}
