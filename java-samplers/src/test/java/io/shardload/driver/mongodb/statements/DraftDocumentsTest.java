package io.shardload.driver.mongodb.statements;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.Golden;
import io.shardload.config.Options;
import io.shardload.data.Draws;
import io.shardload.driver.mongodb.client.RowCodec;
import io.shardload.driver.mongodb.store.Statements;
import io.shardload.keys.Keys;
import io.shardload.keys.States;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.DocumentStoreModel;
import io.shardload.workload.documentstore.DocumentStoreWorkload;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.Query;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.DraftFolder;
import io.shardload.workload.statements.StatementsModel;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.bson.BsonArray;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonDocumentWriter;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.codecs.EncoderContext;
import org.junit.jupiter.api.Test;

/** The draft of document-store as a folder is the built-in workload: documents and commands. */
class DraftDocumentsTest {
  private static final Map<String, Object> CHOSEN =
      Map.of("tenants", 2, "document_size", 300, "rows_per_find", 5);

  private static DocumentStoreModel builtIn() {
    return builtIn("300B");
  }

  private static DocumentStoreModel builtIn(String size) {
    JsonObject data = new JsonObject();
    data.addProperty("documents", 40);
    data.addProperty("tenants", 2);
    data.addProperty("document-size", size);
    data.addProperty("rows-per-find", 5);
    return (DocumentStoreModel)
        new DocumentStoreWorkload().model(1, new Options("workload.data", data));
  }

  private static StatementsModel folder() {
    return DraftFolder.model("mongodb", 1, 40, CHOSEN);
  }

  /** With fixed times, which follow from the clock. */
  private static BsonDocument timeless(BsonDocument document) {
    for (String time : List.of("created", "updated")) {
      assertThat(document.get(time)).isInstanceOf(BsonDateTime.class);
      document.put(time, new BsonDateTime(0));
    }
    return document;
  }

  private static BsonDocument encoded(Document document) {
    BsonDocument bson = new BsonDocument();
    RowCodec.INSTANCE.encode(
        new BsonDocumentWriter(bson), document, EncoderContext.builder().build());
    return timeless(bson);
  }

  /** Field by field, in order, with their types. Mutation: edition has 64 bits. */
  @Test
  void rowsAreTheDocuments() {
    StatementsModel folder = folder();
    for (int ordinal = 0; ordinal < 60; ordinal++) {
      BsonDocument row = timeless(RowInserts.document(DraftFolder.rows(folder), ordinal));
      BsonDocument right = encoded(builtIn().content().at(ordinal, 0));
      assertThat(List.copyOf(row.entrySet())).isEqualTo(List.copyOf(right.entrySet()));
    }
  }

  /** The same arrival has the same command with the same values. */
  @Test
  void arrivalsAreTheCommands() throws CallFailure {
    for (int arrival = 0; arrival < 100; arrival++) {
      for (String name : new DocumentStoreWorkload().transactions()) {
        assertThat(DocumentStoreCommandsTest.command(folder(), name, arrival))
            .as(name)
            .isEqualTo(ofBuiltIn(builtIn(), name, arrival));
      }
    }
  }

  /** The files of {@code DocumentStoreCommandsTest}. */
  @Test
  void theGoldenFilesAreThoseOfTheBuiltInWorkload() throws CallFailure {
    StringBuilder documents = new StringBuilder();
    for (int ordinal : List.of(0, 1, 2, 39, 40, 59)) {
      documents.append(DocumentStoreCommandsTest.text(encoded(builtIn().content().at(ordinal, 0))));
    }
    Golden.check("mongodb-documents.txt", documents.toString());
    StringBuilder commands = new StringBuilder();
    for (int arrival = 0; arrival < 25; arrival++) {
      commands.append("arrival ").append(arrival).append('\n');
      for (String name : DocumentStoreData.TRANSACTIONS) {
        commands.append(ofBuiltIn(small(), name, arrival));
      }
    }
    Golden.check("mongodb-commands.txt", commands.toString());
  }

  private static DocumentStoreModel small() {
    return builtIn("8B");
  }

  private static Draws draws(int arrival) {
    return new Draws().at(1, arrival);
  }

  private static String ofBuiltIn(DocumentStoreModel builtIn, String name, int arrival)
      throws CallFailure {
    Keys keys = Keys.alone(States.loaded(40), builtIn.ranks(), 40, 16);
    Recorded recorded = new Recorded();
    builtIn.transaction(name).prepare(draws(arrival), keys).run(recorded, Phases.NONE);
    return DocumentStoreCommandsTest.text(recorded.command);
  }

  /** The commands of {@link Statements}, in the form of a folder. */
  private static final class Recorded implements DocumentStore {
    private BsonDocument command;

    private void record(String verb, String list, BsonDocument one) {
      command =
          new BsonDocument(verb, new BsonString(Statements.COLLECTION))
              .append(list, new BsonArray(List.of(one)));
    }

    @Override
    public void insert(Document document, Phases phases) {
      record("insert", "documents", encoded(document));
    }

    @Override
    public long update(UUID id, String filter1, int edition, Change change, Phases phases) {
      record(
          "update",
          "updates",
          new BsonDocument("q", Statements.byIdAndFilter1AndEdition(id, filter1, edition))
              .append("u", Statements.update(change)));
      return 1;
    }

    @Override
    public long delete(UUID id, String filter1, Phases phases) {
      record(
          "delete",
          "deletes",
          new BsonDocument("q", Statements.byIdAndFilter1(id, filter1))
              .append("limit", new BsonInt32(1)));
      return 1;
    }

    @Override
    public List<Document> find(Query query, Phases phases) {
      command =
          new BsonDocument("find", new BsonString(Statements.COLLECTION))
              .append("filter", Statements.find(query))
              .append("limit", new BsonInt32(query.find().limit()));
      return UNJUDGED;
    }
  }
}
