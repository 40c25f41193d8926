package io.shardload.driver.postgresql.store;

import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.client.Settings;
import io.shardload.driver.postgresql.schema.SchemaOptions;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline.Scratch;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.postgresql.PGConnection;

/** A second copy of the workload's tables, in a separate schema. */
final class ScratchSchema implements Scratch {
  private static final String NAME = ScratchOwner.NAME;
  private static final String DROP = "DROP SCHEMA IF EXISTS " + NAME + " CASCADE";
  private static final String EMPTY = "TRUNCATE " + NAME + ".data_table";
  private static final int WRITE_BYTES = 1 << 16;

  private final Connections connections;
  private final Settings settings;
  private final DocumentStoreAdmin admin;
  private final ScratchOwner owner;
  private byte[] stream = {};

  private ScratchSchema(
      Connections connections, Settings settings, SchemaOptions schema, ScratchOwner owner) {
    this.owner = owner;
    this.connections = connections;
    this.settings = settings;
    this.admin =
        new PostgresqlAdmin(connections, settings, schema, new PostgresqlDataSets(connections));
  }

  static ScratchSchema create(Connections connections, Settings settings, SchemaOptions schema)
      throws CallFailure {
    Connections inSchema = connections.inSchema(NAME);
    // Before anything is dropped, which closing does as well.
    ScratchOwner owner = ScratchOwner.claim(connections);
    ScratchSchema scratch = new ScratchSchema(inSchema, settings, schema, owner);
    try {
      scratch.execute(DROP);
      scratch.execute(ScratchOwner.create(connections.applicationName()));
      scratch.admin.createSchema(Making.UNRECORDED, Progress.UNHEARD);
      return scratch;
    } catch (CallFailure | RuntimeException e) {
      scratch.closeAfter(e);
      throw e;
    }
  }

  @Override
  public DocumentStoreAdmin admin() {
    return admin;
  }

  @Override
  public DocumentStore store() {
    return new PostgresqlDocumentStore(connections.forTransactions(), settings.fetchSize());
  }

  @Override
  public void prepare(List<Document> documents) {
    CopyFormat.Encoder encoder = new CopyFormat.Encoder();
    documents.forEach(encoder::add);
    stream = encoder.finish();
  }

  @Override
  public void bulk() throws CallFailure {
    try (Connection connection = connections.unlimited()) {
      connection
          .unwrap(PGConnection.class)
          .getCopyAPI()
          .copyIn(CopyLoad.COPY, new ByteArrayInputStream(stream), WRITE_BYTES);
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    } catch (IOException e) {
      throw new CallFailure("copy-failed", false, false, e.toString());
    }
  }

  @Override
  public void empty() throws CallFailure {
    execute(EMPTY);
  }

  /** {@inheritDoc} Also in an interrupted thread, which pgjdbc would not let connect. */
  @Override
  public void close() throws CallFailure {
    boolean interrupted = Thread.interrupted();
    try {
      connections.close();
      execute(DROP);
    } finally {
      owner.close();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void closeAfter(Exception failure) {
    try {
      close();
    } catch (CallFailure e) {
      failure.addSuppressed(e);
    }
  }

  private void execute(String... statements) throws CallFailure {
    try (Connection connection = connections.unlimited();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }
}
