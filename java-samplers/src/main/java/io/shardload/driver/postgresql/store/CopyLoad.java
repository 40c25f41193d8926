package io.shardload.driver.postgresql.store;

import io.shardload.Daemons;
import io.shardload.workload.CallFailure;
import io.shardload.workload.documentstore.port.Document;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * Loads documents by COPY, in batches of one transaction each. While a batch is on its way, a
 * second thread makes the next one.
 *
 * <p>If a batch contains an existing key, the server rolls it back; it is then copied into a
 * temporary table, from which only the missing rows are inserted. So an interrupted load can be
 * continued, and a normal load has no extra cost.
 */
record CopyLoad(Connection connection) {
  private static final int BATCH_ROWS = 5_000;
  private static final int BATCH_BYTES = 16 << 20;
  private static final int WRITE_BYTES = 1 << 16;

  /**
   * How an existing key may be reported: as a unique violation, or by Citus as an internal error,
   * because Citus reports errors of a shard's COPY this way.
   */
  private static final Set<String> MAYBE_DUPLICATE = Set.of("23505", "XX000");

  static final String COPY =
      "COPY data_table (" + CopyFormat.COLUMNS + ") FROM STDIN WITH (FORMAT binary)";
  private static final String CREATE_BATCH =
      "CREATE TEMPORARY TABLE batch (LIKE data_table INCLUDING DEFAULTS) ON COMMIT DROP";
  private static final String COPY_BATCH =
      "COPY batch (" + CopyFormat.COLUMNS + ") FROM STDIN WITH (FORMAT binary)";
  private static final String INSERT_MISSING =
      "INSERT INTO data_table SELECT * FROM batch ON CONFLICT (id, filter1) DO NOTHING";

  @SuppressWarnings("ArrayRecordComponent") // Handed over once, never compared.
  private record Batch(byte[] bytes, int rows) {}

  void load(Iterator<Document> documents, LongConsumer progress) throws SQLException, CallFailure {
    ExecutorService maker = Executors.newSingleThreadExecutor(Daemons.named("load-maker"));
    try {
      connection.setAutoCommit(false);
      long done = 0;
      Future<Batch> next = maker.submit(() -> make(documents));
      for (Batch batch = next.get(); batch.rows() > 0; batch = next.get()) {
        next = maker.submit(() -> make(documents));
        write(batch);
        done += batch.rows();
        progress.accept(done);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CallFailure("interrupted", false, false, "the load was interrupted");
    } catch (ExecutionException e) {
      throw new IllegalStateException("cannot generate documents", e.getCause());
    } finally {
      maker.shutdownNow();
    }
  }

  private static Batch make(Iterator<Document> documents) {
    CopyFormat.Encoder encoder = new CopyFormat.Encoder();
    int rows = 0;
    while (rows < BATCH_ROWS && encoder.bytes() < BATCH_BYTES && documents.hasNext()) {
      encoder.add(documents.next());
      rows++;
    }
    return new Batch(encoder.finish(), rows);
  }

  private void write(Batch batch) throws SQLException {
    try {
      copy(COPY, batch.bytes());
      connection.commit();
    } catch (SQLException e) {
      if (!MAYBE_DUPLICATE.contains(String.valueOf(e.getSQLState()))) {
        throw e;
      }
      connection.rollback();
      // Any other internal error meets this as well, or is over.
      writeMissing(batch);
    }
  }

  private void writeMissing(Batch batch) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(CREATE_BATCH);
      copy(COPY_BATCH, batch.bytes());
      statement.execute(INSERT_MISSING);
      connection.commit();
    }
  }

  private void copy(String sql, byte[] bytes) throws SQLException {
    CopyIn copy = connection.unwrap(PGConnection.class).getCopyAPI().copyIn(sql);
    try {
      for (int at = 0; at < bytes.length; at += WRITE_BYTES) {
        copy.writeToCopy(bytes, at, Math.min(WRITE_BYTES, bytes.length - at));
      }
      copy.endCopy();
    } finally {
      if (copy.isActive()) {
        copy.cancelCopy();
      }
    }
  }
}
