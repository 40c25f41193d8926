package io.shardload.driver.mongodb.statements;

import io.shardload.Golden;
import io.shardload.data.Draws;
import io.shardload.driver.Target;
import io.shardload.driver.TestMongo;
import io.shardload.driver.mongodb.statements.command.Template;
import io.shardload.keys.Keys;
import io.shardload.keys.States;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Model;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.DocumentStoreData;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.calls.StatementCall;
import io.shardload.workload.statements.port.CommandStatement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.json.JsonMode;
import org.bson.json.JsonWriterSettings;
import org.junit.jupiter.api.Test;

/** document-store on MongoDB: documents, commands, collections and plans, in full. */
public class DocumentStoreCommandsTest {
  private static final DocumentStoreData DOCUMENTS = new DocumentStoreData(1, 40, 2, 300, 2.0, 5);
  private static final String PARTS =
      "^[^{]+|\"(Node Type|Filter)\": \"([^\\\\\"]|\\\\.)*\"|filterPushdown.*";

  private static final JsonWriterSettings EXTENDED =
      JsonWriterSettings.builder().outputMode(JsonMode.EXTENDED).build();

  /** With types and the order of fields; times, which follow from the clock, are 0. */
  static String text(BsonDocument document) {
    return timeless(document).toJson(EXTENDED) + "\n";
  }

  private static BsonDocument timeless(BsonDocument document) {
    for (String time : List.of("created", "updated")) {
      document.computeIfPresent(
          time, (name, value) -> new BsonDateTime(value.isDateTime() ? 0 : 1));
    }
    return document;
  }

  @Test
  void documents() {
    StringBuilder all = new StringBuilder();
    for (int ordinal : List.of(0, 1, 2, 39, 40, 59)) {
      all.append(
          text(
              RowInserts.document(DocumentStoreFolder.rows(DOCUMENTS.folder("mongodb")), ordinal)));
    }
    Golden.check("mongodb-documents.txt", all.toString());
  }

  @Test
  void commands() {
    StringBuilder all = new StringBuilder();
    for (int arrival = 0; arrival < 25; arrival++) {
      all.append("arrival ").append(arrival).append('\n');
      for (String name : DocumentStoreData.TRANSACTIONS) {
        all.append(command(DocumentStoreData.CALLS.folder("mongodb"), name, arrival));
      }
    }
    Golden.check("mongodb-commands.txt", all.toString());
  }

  /** The command of an arrival, with its values. */
  static String command(StatementsModel folder, String name, int arrival) {
    Keys keys = Keys.alone(States.loaded(40), folder.ranks(), 40, 16);
    StatementCall call =
        (StatementCall) folder.transaction(name).prepare(new Draws().at(1, arrival), keys);
    Map<String, Integer> slots = call.plan().slots();
    BsonValue[] values = Program.values(call.plan(), call.arguments(), slots.size());
    CommandStatement statement = (CommandStatement) call.plan().statements().get(0);
    BsonDocument command =
        Template.of(statement.command(), slots).bind(values).asDocument().clone();
    if (name.equals("insert")) {
      timeless(command.getArray("documents").get(0).asDocument());
    }
    return text(command);
  }

  @Test
  void plansOfFerretdb() throws CallFailure {
    StatementsModel model =
        DocumentStoreFolder.model(
            "mongodb",
            1,
            40,
            Map.of("tenants", 2, "document_size", 300, "rows_per_find", 5, "index", "ascending"));
    try (Target target = TestMongo.ferretdb().open("{}")) {
      Golden.check("ferretdb-plans.txt", plans(target, model));
    }
  }

  /** What the report shows, after a load. */
  public static String plans(Target target, Model<?> model) throws CallFailure {
    model.createSchema(target, Making.UNRECORDED, Progress.UNHEARD);
    model.load(target, 0, 40, done -> {});
    StringBuilder all = new StringBuilder();
    model
        .plans(target, DocumentStoreData.TRANSACTIONS)
        .forEach(
            (name, plan) -> {
              Map<String, Object> shown = new LinkedHashMap<>(plan);
              shown.computeIfPresent(
                  "text",
                  (key, text) ->
                      Pattern.compile(PARTS)
                          .matcher((String) text)
                          .results()
                          .map(part -> part.group().replaceAll("\\\\\"[^\"]*\"|'0'", "?"))
                          .map(part -> part.replaceAll("[a-z_0-9]+\\._jsonb", "_jsonb"))
                          .sorted()
                          .toList());
              all.append(name + " " + shown + "\n");
            });
    return all.toString();
  }
}
