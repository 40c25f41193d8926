package io.shardload.verify;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.keys.FileJournal;
import io.shardload.keys.JournalHeader;
import io.shardload.keys.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Which acknowledged writes of a run with faults are not there, and when they were acknowledged, by
 * a journal and documents that were written by hand.
 */
class LostWritesTest extends GoldenRun {
  private static final long MS = 1_000_000;
  private static final String WITH_FAULT =
      "{\"load\":{\"generators\":1},\"faults\":[{\"name\":\"kill-1\"}]}";

  @BeforeEach
  void aRunWithAFault() throws Exception {
    target.dataSets().raiseHighWater(5);
    Files.createDirectories(bundle);
    Files.writeString(bundle.resolve("run.json"), WITH_FAULT);
  }

  /** Document 0 updated three times, 2 deleted, 4 inserted and updated twice. */
  private static void writes(FileJournal journal) {
    journal.append(4, State.live(0));
    journal.mark(1000 * MS);
    journal.append(0, State.live(1));
    journal.append(4, State.live(1));
    journal.mark(1010 * MS);
    flush(journal);
    journal.append(0, State.live(2));
    journal.mark(2500 * MS);
    journal.append(0, State.live(3));
    journal.append(4, State.live(2));
    journal.append(2, State.of(State.DELETED, 0));
    flush(journal);
    journal.mark(2510 * MS);
    // Not acknowledged, so not lost.
    journal.append(0, State.of(State.UNKNOWN_UPDATE, 3));
    journal.mark(9000 * MS);
  }

  private static void flush(FileJournal journal) {
    try {
      journal.flush();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void documents(String... documents) {
    GoldenData.execute(
        database, "TRUNCATE data_table", GoldenData.INSERT + String.join(", ", documents));
  }

  private JsonObject verification() throws IOException {
    return JsonParser.parseString(Files.readString(bundle.resolve("verification.json")))
        .getAsJsonObject();
  }

  /**
   * Document 4 is lost: its insert and both updates. 0 is stale by two editions: two updates. 2 is
   * resurrected: its delete. Mutations: the time of the mark before; count unknown outcomes; count
   * the found edition; leave deletes out.
   */
  @Test
  void eachLostWriteHasTheTimeOfItsAcknowledgement() throws Exception {
    GoldenData.writeBundle(bundle, true, LostWritesTest::writes);
    documents(
        GoldenData.DOCUMENT_0, GoldenData.DOCUMENT_1, GoldenData.DOCUMENT_2, GoldenData.DOCUMENT_3);
    database.execute(GoldenData.UPDATE_0);

    Verification result = GoldenData.verify(target, bundle);

    assertThat(GoldenData.found(result)).containsExactly("lost 4", "resurrected 2", "stale 0");
    assertThat(verification().get("lost_writes"))
        .hasToString(
            "{\"total\":6,\"at_ns\":[[1000000000,1],[1010000000,1],[2500000000,1],[2510000000,3]]}");
  }

  /** Document 0 is found at edition 1 of 3. Mutation: count the delete alone. */
  @Test
  void updatesBeforeALostDeleteAreLostToo() throws Exception {
    GoldenData.writeBundle(
        bundle,
        true,
        journal -> {
          for (int edition = 1; edition <= 3; edition++) {
            journal.append(0, State.live(edition));
            journal.mark(edition * (100 * MS));
          }
          journal.append(0, State.of(State.DELETED, 3));
          journal.mark(400 * MS);
        });
    documents(
        GoldenData.DOCUMENT_0, GoldenData.DOCUMENT_1, GoldenData.DOCUMENT_2, GoldenData.DOCUMENT_3);
    database.execute(GoldenData.UPDATE_0);

    assertThat(GoldenData.found(GoldenData.verify(target, bundle)))
        .containsExactly("resurrected 0");
    assertThat(verification().get("lost_writes"))
        .hasToString("{\"total\":3,\"at_ns\":[[200000000,1],[300000000,1],[400000000,1]]}");
  }

  /**
   * Document 3 was loaded before the run, and only updates of the run have a time; 1 has none.
   * Mutation: count documents.
   */
  @Test
  void writesBeforeTheRunAreNotCounted() throws Exception {
    GoldenData.writeBundle(
        bundle,
        true,
        journal -> {
          journal.append(3, State.live(1));
          journal.mark(100 * MS);
          journal.append(3, State.live(2));
        });
    documents(GoldenData.DOCUMENT_0, GoldenData.DOCUMENT_2);

    assertThat(GoldenData.found(GoldenData.verify(target, bundle)))
        .containsExactly("lost 1", "lost 3");
    // The last write has no mark after it.
    assertThat(verification().get("lost_writes"))
        .hasToString("{\"total\":2,\"at_ns\":[[100000000,2]]}");
  }

  /** Mutations: leave the field out; write it whether there are faults or not. */
  @Test
  void aRunThatLostNothingSaysSoAndOneWithoutFaultsNothing() throws Exception {
    GoldenData.writeBundle(bundle, true, GoldenData::writes);
    GoldenData.fill(database);
    database.execute("CREATE TABLE kept AS SELECT * FROM data_table");
    database.execute(GoldenData.DELETE_1);
    Files.writeString(bundle.resolve("run.json"), "{\"load\":{\"generators\":1}}");
    assertThat(GoldenData.verify(target, bundle).verdict()).isEqualTo("wrong");
    assertThat(verification().has("lost_writes")).isFalse();

    database.execute("INSERT INTO data_table SELECT * FROM kept ON CONFLICT DO NOTHING");
    Files.writeString(bundle.resolve("run.json"), WITH_FAULT);
    assertThat(GoldenData.verify(target, bundle).verdict()).isEqualTo("clean");
    assertThat(verification().get("lost_writes")).hasToString("{\"total\":0,\"at_ns\":[]}");
  }

  /**
   * Document 2 has two rows, one of them with the update. Mutations: each generator's times after
   * those of the one before; the earlier edition of two rows.
   */
  @Test
  void theTimesOfAllGeneratorsAreInOneOrder() throws Exception {
    Files.createDirectories(bundle.resolve("journal"));
    for (int generator = 0; generator < 2; generator++) {
      Path file = bundle.resolve("journal/generator-" + generator + ".jnl");
      JournalHeader header = GoldenData.header(bundle, generator, 2, 4);
      try (FileJournal journal = new FileJournal(file, header)) {
        journal.append(generator, State.live(1));
        journal.mark((2 - generator) * (100 * MS));
        journal.append(2 + generator, State.live(1));
        journal.mark(300 * MS);
      }
    }
    LostWrites lost = new LostWrites(LostWrites.MOST_DOCUMENTS);
    for (int ordinal = 0; ordinal < 4; ordinal++) {
      lost.found(ordinal, 0);
    }
    lost.found(2, 1);
    assertThat(lost.read(bundle).toJson())
        .hasToString("{\"total\":3,\"at_ns\":[[100000000,1],[200000000,1],[300000000,1]]}");
  }

  /** Mutation: count them without a limit. */
  @Test
  void documentsBeyondTheLimitAreReported() throws Exception {
    GoldenData.writeBundle(bundle, true, LostWritesTest::writes);
    LostWrites lost = new LostWrites(1);
    lost.missing(4);
    lost.found(0, 1);
    lost.found(2, 0);
    assertThat(lost.read(bundle).toJson())
        .hasToString(
            "{\"total\":3,\"at_ns\":[[1000000000,1],[1010000000,1],[2510000000,1]],"
                + "\"documents_left_out\":2}");
  }
}
