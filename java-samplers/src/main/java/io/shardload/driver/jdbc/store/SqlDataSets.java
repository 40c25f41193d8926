package io.shardload.driver.jdbc.store;

import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.jdbc.client.SqlConnections;
import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import io.shardload.workload.Making;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The data set's record: a table of one row for the header, a table of chunks for the states. All
 * statements are autocommitted; a header is replaced by one UPDATE that names all it expects.
 */
public final class SqlDataSets implements DataSetStore {
  private static final int VALID_WITHIN_SECONDS = 5;

  private static final String CREATE_HEADER =
      """
      CREATE TABLE IF NOT EXISTS shardload_header (
        only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
        workload %1$s NOT NULL,
        shape %1$s NOT NULL,
        documents bigint NOT NULL,
        loaded bigint NOT NULL,
        high_water bigint NOT NULL,
        generation bigint NOT NULL,
        dirty_run %1$s NOT NULL,
        identity %1$s NOT NULL,
        objects %1$s NOT NULL,
        record %2$s NOT NULL
      ) %3$s
      """;
  private static final String CREATE_STATE =
      """
      CREATE TABLE IF NOT EXISTS shardload_state (
        generation bigint NOT NULL,
        chunk int NOT NULL,
        bytes %s NOT NULL,
        PRIMARY KEY (generation, chunk)
      ) %s
      """;
  private static final String INSERT_HEADER =
      """
      INSERT INTO shardload_header
        (workload, shape, documents, loaded, high_water, generation, dirty_run, identity,
        objects, record)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, %s)
      """;
  private static final String SELECT_HEADER =
      """
      SELECT workload, shape, documents, loaded, high_water, generation, dirty_run, identity,
        objects, record = %s
      FROM shardload_header
      """;
  private static final String REPLACE_HEADER =
      """
      UPDATE shardload_header SET workload = ?, shape = ?, documents = ?, loaded = ?,
        high_water = ?, generation = ?, dirty_run = ?, identity = ?,
        objects = ?, record = %1$s
      WHERE workload = ? AND shape = ? AND documents = ? AND loaded = ?
        AND high_water = ? AND generation = ? AND dirty_run = ? AND identity = ?
        AND (objects = ? OR record <> %1$s)
      """;

  private static final String WRITE_CHUNK =
      "INSERT INTO shardload_state (generation, chunk, bytes) VALUES (?, ?, ?) ";
  private static final String READ_CHUNK =
      "SELECT bytes FROM shardload_state WHERE generation = ? AND chunk = ?";
  // Citus fails on a subquery without a column.
  private static final String ANY_ROW = "SELECT EXISTS (SELECT 1 FROM %s)";
  private static final String FORGET_OTHERS = "DELETE FROM shardload_state WHERE generation <> ?";

  private final SqlConnections connections;
  private final ObjectCatalog catalog;
  private final ObjectCatalog.Words words;
  private final KnownHeader known = new KnownHeader();

  /** Held while a statement is on its way. */
  private final ReentrantLock busy = new ReentrantLock();

  private volatile Connection kept;
  private volatile boolean closed;

  public SqlDataSets(SqlConnections connections, ObjectCatalog catalog) {
    this.connections = connections;
    this.catalog = catalog;
    this.words = catalog.words();
  }

  @Override
  public Optional<Header> header() throws CallFailure {
    Optional<Header> header = with(this::read);
    header.ifPresent(known::read);
    return header;
  }

  private Optional<Header> read(Connection connection) throws SQLException {
    try (PreparedStatement select =
            connection.prepareStatement(SELECT_HEADER.formatted(words.identity()));
        ResultSet row = select.executeQuery()) {
      return row.next() ? Optional.of(HeaderRow.read(row)) : Optional.empty();
    } catch (SQLException e) {
      if (words.noTable().equals(e.getSQLState())) {
        return Optional.empty();
      }
      throw e;
    }
  }

  @Override
  public void create(Header header) throws CallFailure {
    with(
        connection -> {
          try (Statement create = connection.createStatement()) {
            create.execute(CREATE_HEADER.formatted(words.text(), words.number(), words.ending()));
            create.execute(CREATE_STATE.formatted(words.bytes(), words.ending()));
            return null;
          }
        });
    update(
        INSERT_HEADER.formatted(words.insertedIdentity()),
        statement -> HeaderRow.set(statement, 1, header));
    known.written(header);
  }

  @Override
  public boolean replace(Header expected, Header next) throws CallFailure {
    int rows =
        update(
            REPLACE_HEADER.formatted(words.identity()),
            statement -> {
              HeaderRow.set(statement, 1, next);
              HeaderRow.set(statement, 10, expected);
            });
    if (rows == 1) {
      known.written(next);
    }
    return rows == 1;
  }

  @Override
  public void raiseHighWater(long highWater) throws CallFailure {
    update(
        KnownHeader.RAISE_HIGH_WATER,
        statement -> {
          statement.setLong(1, highWater);
          statement.setLong(2, highWater);
        });
    known.raised(highWater);
  }

  /** Refuses a server whose header has lost the run that this process belongs to. */
  public void confirm(Connection connection) throws SQLException {
    known.confirm(connection);
  }

  @Override
  public void writeChunk(long generation, int chunk, byte[] bytes) throws CallFailure {
    update(
        WRITE_CHUNK + words.orReplace().formatted("generation, chunk", "bytes"),
        statement -> {
          statement.setLong(1, generation);
          statement.setInt(2, chunk);
          statement.setBytes(3, bytes);
        });
  }

  @Override
  public Optional<byte[]> readChunk(long generation, int chunk) throws CallFailure {
    return with(
        connection -> {
          try (PreparedStatement select = connection.prepareStatement(READ_CHUNK)) {
            select.setLong(1, generation);
            select.setInt(2, chunk);
            try (ResultSet row = select.executeQuery()) {
              return row.next() ? Optional.of(row.getBytes(1)) : Optional.empty();
            }
          }
        });
  }

  @Override
  public Map<String, DataObject> look(List<String> names) throws CallFailure {
    return with(connection -> catalog.look(connection, names));
  }

  @Override
  public boolean empty(DataObject table) throws CallFailure {
    return with(
        connection -> {
          try (Statement statement = connection.createStatement()) {
            return !Queries.holds(statement, ANY_ROW.formatted(table.name()));
          }
        });
  }

  @Override
  public List<String> attached(List<DataObject> objects) throws CallFailure {
    return with(connection -> catalog.attached(connection, objects));
  }

  /**
   * Drops what is to be dropped, makes a schema and has it recorded, all in one transaction without
   * a time limit: a failure leaves what was there, with its record.
   */
  public <T> T make(Making making, Work<T> schema) throws CallFailure {
    busy.lock();
    Connection before = kept;
    Header knownBefore = known.known();
    try (Connection transaction = connections.unlimited()) {
      transaction.setAutoCommit(false);
      kept = transaction; // What the recorder writes belongs to the transaction.
      catalog.drop(transaction, making.drop());
      T result = made(transaction, making, schema);
      transaction.commit();
      knownBefore = known.known();
      return result;
    } catch (SQLException e) {
      throw connections.outcomes().statement(e);
    } finally {
      known.written(knownBefore);
      kept = before;
      busy.unlock();
    }
  }

  private <T> T made(Connection transaction, Making making, Work<T> schema)
      throws SQLException, CallFailure {
    ObjectCatalog.Made made = catalog.making(transaction);
    try {
      T result = schema.on(transaction);
      making.recorder().made(seen(made));
      return result;
    } catch (SQLException | CallFailure e) {
      try {
        catalog.undo(transaction, made);
      } catch (SQLException | CallFailure other) {
        e.addSuppressed(other);
      }
      throw e;
    }
  }

  private List<DataObject> seen(ObjectCatalog.Made made) throws SQLException, CallFailure {
    try (Connection outside = connections.administrative()) {
      return made.seen(outside);
    }
  }

  @Override
  public void keepOnly(long generation) throws CallFailure {
    update(FORGET_OTHERS, statement -> statement.setLong(1, generation));
  }

  /** Does not wait for a statement that hangs: its connection is broken off. */
  public void close() {
    closed = true;
    Connection connection = kept;
    if (connection == null) {
      return;
    }
    if (busy.tryLock()) {
      try {
        giveUp(connection);
      } finally {
        busy.unlock();
      }
      return;
    }
    try {
      connection.abort(Runnable::run);
    } catch (SQLException e) {
      // It is given up anyway.
    }
  }

  private static void giveUp(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      // Nobody uses it any more.
    }
  }

  @FunctionalInterface
  private interface Arguments {
    void set(PreparedStatement statement) throws SQLException;
  }

  /** What is done on a connection. */
  @FunctionalInterface
  public interface Work<T> {
    T on(Connection connection) throws SQLException, CallFailure;
  }

  private int update(String sql, Arguments arguments) throws CallFailure {
    return with(
        connection -> {
          try (PreparedStatement statement = connection.prepareStatement(sql)) {
            arguments.set(statement);
            int rows = statement.executeUpdate();
            connections.outcomes().checkAcknowledged(statement.getWarnings());
            return rows;
          }
        });
  }

  /**
   * Uses one permanent connection, because a generator queries during its load. If the connection
   * is broken before the work (after a server restart), a new one replaces it.
   */
  private <T> T with(Work<T> work) throws CallFailure {
    busy.lock();
    try {
      return work.on(connection());
    } catch (SQLException e) {
      throw connections.outcomes().statement(e);
    } finally {
      busy.unlock();
    }
  }

  private Connection connection() throws CallFailure, SQLException {
    Connection connection = kept;
    if (connection == null || !connection.isValid(VALID_WITHIN_SECONDS)) {
      if (connection != null) {
        giveUp(connection);
      }
      connection = connections.administrative();
      kept = connection;
    }
    if (closed) {
      giveUp(connection);
      throw new SQLException("the target was closed", "08003");
    }
    return connection;
  }
}
