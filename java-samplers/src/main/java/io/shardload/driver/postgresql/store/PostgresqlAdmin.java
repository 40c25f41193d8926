package io.shardload.driver.postgresql.store;

import io.shardload.driver.jdbc.client.Queries;
import io.shardload.driver.jdbc.store.SqlDataSets;
import io.shardload.driver.postgresql.client.Connections;
import io.shardload.driver.postgresql.client.Failures;
import io.shardload.driver.postgresql.client.Settings;
import io.shardload.driver.postgresql.schema.Citus;
import io.shardload.driver.postgresql.schema.SchemaOptions;
import io.shardload.driver.postgresql.schema.TableSchema;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.Key;
import io.shardload.workload.documentstore.port.TablePart;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/** Makes, fills and reads the whole table. */
public record PostgresqlAdmin(
    Connections connections, Settings settings, SchemaOptions schema, SqlDataSets dataSets)
    implements DocumentStoreAdmin {
  private static final String COUNT = "SELECT count(*) FROM data_table";

  @Override
  public void checkSchema(boolean recreate, int largestBytes) throws CallFailure {
    try (Connection connection = connections.administrative()) {
      new TableSchema(schema).check(connection, recreate, largestBytes);
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  @Override
  public boolean createSchema(Making making, Progress steps) throws CallFailure {
    return dataSets.make(
        making, transaction -> new TableSchema(schema).ensure(transaction, making.again()));
  }

  @Override
  public long count() throws CallFailure {
    return connections.use(
        connections.unlimited(), statement -> Long.parseLong(Queries.text(statement, COUNT)));
  }

  @Override
  public void load(Iterator<Document> documents, LongConsumer progress) throws CallFailure {
    try (Connection connection = connections.unlimited()) {
      new CopyLoad(connection).load(documents, progress);
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  @Override
  public void finishLoad(Progress steps) throws CallFailure {
    try (Connection connection = connections.unlimited();
        Statement statement = connection.createStatement()) {
      statement.execute("ANALYZE data_table");
      if (schema.checkpointAfterLoad()) {
        Citus.of(statement).checkpoint(statement);
      }
    } catch (SQLException e) {
      throw Failures.ofStatement(e);
    }
  }

  @Override
  public void walk(Consumer<Document> visitor) throws CallFailure {
    new TableReads(connections).whole(visitor);
  }

  @Override
  public List<TablePart> parts(int threads) throws CallFailure {
    return new TableReads(connections).parts(threads);
  }

  @Override
  public void read(Iterator<Key> keys, Consumer<Document> visitor) throws CallFailure {
    new TableReads(connections).byKey(keys, visitor);
  }
}
