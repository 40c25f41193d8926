package io.shardload.driver.postgresql.store;

import io.shardload.driver.jdbc.store.ScratchPlace;
import io.shardload.driver.jdbc.store.SqlDataSets;
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
import java.util.List;
import org.postgresql.PGConnection;

/** A second copy of the workload's tables, in a separate schema. */
final class ScratchSchema implements Scratch {
  private static final String EMPTY = "TRUNCATE " + ScratchPlace.NAME + ".data_table";
  private static final int WRITE_BYTES = 1 << 16;

  private final ScratchPlace place;
  private final Connections inside;
  private final Settings settings;
  private final DocumentStoreAdmin admin;
  private byte[] stream = {};

  private ScratchSchema(
      ScratchPlace place, Connections inside, Settings settings, SchemaOptions schema) {
    this.place = place;
    this.inside = inside;
    this.settings = settings;
    this.admin =
        new PostgresqlAdmin(
            inside, settings, schema, new SqlDataSets(inside, new DatabaseObjects()));
  }

  static ScratchSchema create(Connections connections, Settings settings, SchemaOptions schema)
      throws CallFailure {
    Connections inside = connections.inSchema(ScratchPlace.NAME);
    ScratchPlace place =
        ScratchPlace.make(connections, inside, new PostgresqlScratch(), List.of("data_table"));
    try {
      ScratchSchema scratch = new ScratchSchema(place, inside, settings, schema);
      scratch.admin.createSchema(Making.UNRECORDED, Progress.UNHEARD);
      return scratch;
    } catch (CallFailure | RuntimeException e) {
      place.closeAfter(e);
      throw e;
    }
  }

  @Override
  public DocumentStoreAdmin admin() {
    return admin;
  }

  @Override
  public DocumentStore store() {
    return new PostgresqlDocumentStore(inside.forTransactions(), settings.shared().fetchSize());
  }

  @Override
  public void prepare(List<Document> documents) {
    CopyFormat.Encoder encoder = new CopyFormat.Encoder();
    documents.forEach(encoder::add);
    stream = encoder.finish();
  }

  @Override
  public void bulk() throws CallFailure {
    try (Connection connection = inside.unlimited()) {
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
    place.execute(EMPTY);
  }

  @Override
  public void close() throws CallFailure {
    place.close();
  }
}
