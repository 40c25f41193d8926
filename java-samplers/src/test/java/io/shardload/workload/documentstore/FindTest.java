package io.shardload.workload.documentstore;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.shardload.config.Options;
import io.shardload.data.Draws;
import io.shardload.keys.Keys;
import io.shardload.keys.States;
import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import io.shardload.workload.Phases;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.DocumentStore;
import io.shardload.workload.documentstore.port.Find;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * How answers of finds are judged. The only document that this generator knows is document 0 of
 * seed 1, at edition 0; all documents here are written out.
 */
class FindTest {
  private static final UUID TENANT = UUID.fromString("bd178531-75c4-4325-9427-11237e9fc9a9");
  private static final String TEXT = "xXx0J6Pwr hfogzsfifia mkgh macjyu ibpwtf";
  private static final Document DOCUMENT_0 = document0(918532124755L, TEXT, 0);

  /** Of the same tenant, and with the same values but filter3. */
  private static final Document DOCUMENT_2 =
      new Document(
          TENANT,
          "b004183680a353dc",
          "a2d598abf61ff95e",
          48278991447L,
          "9ad8ce28149f63c4",
          "ff1e4e12bf837948",
          "ncbGS2dhw y5qeqOcxF vQzAgxCsg nwaytjnyct",
          0);

  private final Keys keys = Keys.alone(States.loaded(1), model("40B").ranks(), 1, 16);

  private static Document document0(long filter3, String text, int edition) {
    return new Document(
        TENANT,
        "0a385ef24fa6a992",
        "a2d598abf61ff95e",
        filter3,
        "9ad8ce28149f63c4",
        "ff1e4e12bf837948",
        text,
        edition);
  }

  private static DocumentStoreModel model(String documentSize) {
    String data = "{'documents': 4, 'tenants': 2, 'document-size': '" + documentSize + "'}";
    return (DocumentStoreModel)
        new DocumentStoreWorkload()
            .model(
                1,
                new Options(
                    "workload.data",
                    JsonParser.parseString(data.replace('\'', '"')).getAsJsonObject()));
  }

  private Outcome outcome(String find, Document... answer) {
    return outcome(model("40B"), find, 1, answer);
  }

  private Outcome outcome(DocumentStoreModel model, String find, int arrival, Document... answer) {
    DocumentStore store =
        (DocumentStore)
            Proxy.newProxyInstance(
                DocumentStore.class.getClassLoader(),
                new Class<?>[] {DocumentStore.class},
                (self, method, arguments) -> List.of(answer));
    Call<DocumentStore> call = model.transaction(find).prepare(new Draws().at(1, arrival), keys);
    try {
      call.run(store, Phases.NONE);
    } catch (CallFailure e) {
      throw new AssertionError(e);
    }
    return call.finish(null, false);
  }

  /** Mutations: {@code row.filter1().equals}, {@code List.contains} of null, -1 let pass. */
  @ParameterizedTest
  @EnumSource
  void aRowWithNullIsAWrongRow(Find find) {
    assertThat(outcome(find.transaction(), DOCUMENT_0)).isInstanceOf(Outcome.Done.class);
    Document d = DOCUMENT_0;
    for (Document row :
        List.of(
            new Document(null, d.filter1(), d.filter2(), 1, d.filter4(), d.filter5(), TEXT, 0),
            new Document(TENANT, null, d.filter2(), 1, d.filter4(), d.filter5(), TEXT, 0),
            new Document(TENANT, d.filter1(), null, 1, d.filter4(), d.filter5(), TEXT, 0),
            new Document(TENANT, d.filter1(), d.filter2(), -1, d.filter4(), d.filter5(), TEXT, 0),
            new Document(TENANT, d.filter1(), d.filter2(), 1, null, d.filter5(), TEXT, 0),
            new Document(TENANT, d.filter1(), d.filter2(), 1, d.filter4(), null, TEXT, 0),
            new Document(TENANT, d.filter1(), d.filter2(), 1, d.filter4(), d.filter5(), null, 0),
            new Document(
                TENANT, d.filter1(), d.filter2(), 1, d.filter4(), d.filter5(), TEXT, -1))) {
      assertThat(outcome(find.transaction(), row))
          .as("%s", row)
          .isEqualTo(new Outcome.Failed("wrong-row"));
    }
  }

  @Test
  void aRowThatIsAsItShouldBeIsDone() {
    assertThat(outcome("find-by-id-and-filter1", DOCUMENT_0)).isEqualTo(Outcome.done(1));
    // Nobody here owns document 2, and what it must hold is known all the same.
    assertThat(outcome("find-by-id-and-filter2", DOCUMENT_2)).isEqualTo(Outcome.done(1));
  }

  /** Mutation: only filters compared. */
  @Test
  void anotherLetterInTheTextIsWrongContent() {
    Document row = document0(918532124755L, TEXT.replace("mkgh", "mkgi"), 0);
    assertThat(outcome("find-by-id-and-filter1", row))
        .isEqualTo(new Outcome.Failed("wrong-content"));
  }

  /** Document 0 has this filter3 at edition 1. A replica may show it before its acknowledgement. */
  @Test
  void whatIsRightDependsOnTheEditionOfTheRow() {
    assertThat(outcome("find-by-id-and-filter1", document0(501165655330L, TEXT, 1)))
        .isEqualTo(new Outcome.Done(1, 0, true));
    assertThat(outcome("find-by-id-and-filter1", document0(501165655330L, TEXT, 0)))
        .isEqualTo(new Outcome.Failed("wrong-content"));
    assertThat(outcome("find-by-id-and-filter1", document0(918532124755L, TEXT, 1)))
        .isEqualTo(new Outcome.Failed("wrong-content"));
  }

  @Test
  void aKeyThatNoOrdinalMakesIsWrongContent() {
    Document row =
        new Document(
            TENANT,
            "not-of-this-data",
            "a2d598abf61ff95e",
            1,
            "9ad8ce28149f63c4",
            "ff1e4e12bf837948",
            TEXT,
            0);
    assertThat(outcome("find-by-id-and-filter2", row))
        .isEqualTo(new Outcome.Failed("wrong-content"));
  }

  /** Each row of a list has its turn. Mutation: always the first row. */
  @Test
  void oneRowOfAListIsCompared() {
    Document wrong = document0(918532124755L, "another text", 0);
    long found = 0;
    for (int arrival = 0; arrival < 1000; arrival++) {
      Outcome outcome = outcome(model("40B"), "find-by-id-and-filter5", arrival, DOCUMENT_2, wrong);
      found += outcome.equals(new Outcome.Failed("wrong-content")) ? 1 : 0;
    }
    assertThat(found).isBetween(450L, 550L);
  }

  /** 512 bytes in 2 KiB are every fourth find. Mutation: every find, or none. */
  @Test
  void largeDocumentsAreComparedInAShareOfTheFinds() {
    Document wrong = document0(918532124755L, "too short", 0);
    long found = 0;
    for (int arrival = 0; arrival < 1000; arrival++) {
      Outcome outcome = outcome(model("2KiB"), "find-by-id-and-filter1", arrival, wrong);
      found += outcome.equals(new Outcome.Failed("wrong-content")) ? 1 : 0;
    }
    assertThat(found).isBetween(200L, 300L);
  }
}
