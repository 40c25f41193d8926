package io.shardload.driver.postgresql.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.driver.Makings;
import io.shardload.driver.OnCitus;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.driver.postgresql.CitusIntegrationTest;
import io.shardload.driver.postgresql.PostgresqlDriver;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.RowVisitor;
import io.shardload.workload.documentstore.DocumentStoreModel;
import io.shardload.workload.documentstore.DocumentStoreWorkload;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/** A load that was interrupted after its first batch is taken up again. */
class CopyLoadTest {
  /** More than one batch and less than two. */
  private static final int DOCUMENTS = 6_000;

  /** As Citus reports what a shard's COPY meets, whatever that is. */
  private static final String INTERNAL_ERROR_IN_COPY =
      """
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF current_query() LIKE 'COPY data_table %' AND EXISTS (
          SELECT FROM data_table WHERE id = NEW.id AND filter1 = NEW.filter1)
        THEN
          RAISE EXCEPTION 'duplicate key in data_table_pkey_102285' USING ERRCODE = 'XX000';
        END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON data_table FOR EACH ROW EXECUTE FUNCTION refuse()
      """;

  private static DocumentStoreModel model() {
    String data = "{'documents': %d, 'document-size': '1KiB'}".formatted(DOCUMENTS);
    return (DocumentStoreModel)
        new DocumentStoreWorkload()
            .model(1, new Options("workload.data", JsonParser.parseString(data).getAsJsonObject()));
  }

  private static void assertResumes(Target target) throws CallFailure {
    DocumentStoreModel model = model();
    CancellationException interruption = new CancellationException();
    assertThat(
            catchThrowableOfType(
                CancellationException.class,
                () ->
                    model.load(
                        target,
                        0,
                        DOCUMENTS,
                        done -> {
                          throw interruption;
                        })))
        .isSameAs(interruption);
    assertThat(model.count(target)).isEqualTo(5_000);

    model.load(target, 0, DOCUMENTS, done -> {});

    assertThat(model.count(target)).isEqualTo(DOCUMENTS);
    List<String> wrong = new ArrayList<>();
    model.walk(
        target,
        new RowVisitor() {
          @Override
          public void row(long ordinal, long edition, String defect) {
            if (defect != null || edition != 0) {
              wrong.add(ordinal + " at edition " + edition + ": " + defect);
            }
          }

          @Override
          public void foreign(String what) {
            wrong.add(what);
          }
        });
    assertThat(wrong).isEmpty();
  }

  @Test
  void aPlainServerTellsOfTheKey() throws CallFailure {
    try (Target target = TestDatabases.fresh().open("{}")) {
      target.port(DocumentStoreAdmin.class).createSchema(Making.UNRECORDED, Progress.UNHEARD);
      assertResumes(target);
    }
  }

  @Test
  void aServerThatCallsItAnInternalError() throws CallFailure {
    Database database = TestDatabases.fresh();
    try (Target target = database.open("{}")) {
      target.port(DocumentStoreAdmin.class).createSchema(Making.UNRECORDED, Progress.UNHEARD);
      database.execute(INTERNAL_ERROR_IN_COPY);
      assertResumes(target);
    }
  }

  @Test
  void anInternalErrorThatStaysIsTold() throws CallFailure {
    Database database = TestDatabases.fresh();
    try (Target target = database.open("{}")) {
      target.port(DocumentStoreAdmin.class).createSchema(Making.UNRECORDED, Progress.UNHEARD);
      database.execute(
          """
          CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
          BEGIN RAISE EXCEPTION 'shard is gone' USING ERRCODE = 'XX000'; END $$;
          CREATE TRIGGER refuse BEFORE INSERT ON data_table FOR EACH ROW EXECUTE FUNCTION refuse()
          """);
      CallFailure e =
          catchThrowableOfType(
              CallFailure.class, () -> model().load(target, 0, DOCUMENTS, done -> {}));
      assertThat(e.kind()).isEqualTo("sqlstate-XX000");
      assertThat(e).hasMessageContaining("shard is gone");
    }
  }

  @Test
  @OnCitus
  void aRealCitus() throws CallFailure {
    String schema = "{'distribution': 'id', 'shard-count': 4}";
    try (Target target =
        new PostgresqlDriver()
            .open(
                CitusIntegrationTest.config("{}", schema),
                new Session("test", 2, Duration.ofSeconds(10)))) {
      target
          .port(DocumentStoreAdmin.class)
          .createSchema(Makings.again(target, "data_table"), Progress.UNHEARD);
      assertResumes(target);
    }
  }
}
