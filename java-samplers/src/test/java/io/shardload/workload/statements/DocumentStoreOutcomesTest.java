package io.shardload.workload.statements;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.keys.Keys;
import io.shardload.keys.LocalRanges;
import io.shardload.keys.Ownership;
import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import io.shardload.workload.Phases;
import io.shardload.workload.Ports;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.StatementStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * How calls of document-store end, and what is known of their documents afterwards. The only
 * document that this generator knows is document 0 of seed 1; all documents here are written out.
 */
class DocumentStoreOutcomesTest {
  private static final UUID TENANT = UUID.fromString("bd178531-75c4-4325-9427-11237e9fc9a9");
  private static final String TEXT = "xXx0J6Pwr hfogzsfifia mkgh macjyu ibpwtf";
  private static final Map<String, Object> DOCUMENT_0 =
      Map.of(
          "id",
          TENANT,
          "filter1",
          "0a385ef24fa6a992",
          "filter2",
          "a2d598abf61ff95e",
          "filter3",
          918532124755L,
          "filter4",
          "9ad8ce28149f63c4",
          "filter5",
          "ff1e4e12bf837948",
          "document",
          TEXT,
          "edition",
          0L);

  /** Of the same tenant, and with the same values but filter3. */
  private static final Map<String, Object> DOCUMENT_2 =
      with(
          with(
              with(DOCUMENT_0, "filter1", "b004183680a353dc"),
              "document",
              "ncbGS2dhw y5qeqOcxF vQzAgxCsg nwaytjnyct"),
          "filter3",
          48278991447L);

  private static final Outcome WRONG_ROW = new Outcome.Failed("wrong-row");
  private static final Outcome CHANGED = new Outcome.Done(1, 1, false);
  private static final String BY_KEY = "find-by-id-and-filter1";

  private final CallFailure refused = new CallFailure("refused", true, true, "");
  private final CallFailure timeout = new CallFailure("timeout", false, true, "");
  private final CallFailure duplicate = new CallFailure("duplicate-key", true, false, "");

  private final List<String> journal = new ArrayList<>();
  private Keys keys = keys(0);
  private StatementsModel model = model("40B");

  private static StatementsModel model(String size) {
    String data = "{'documents': 4, 'tenants': 2, 'document-size': '%s'}";
    return DocumentStoreFolder.model("postgresql", 1, data.formatted(size));
  }

  /** Of document 0 alone, at an edition. */
  private Keys keys(int edition) {
    States states = States.loaded(1);
    states.set(0, State.live(edition));
    return new Keys(
        new Ownership(0, 1, 1),
        states,
        KeyDistribution.uniform(),
        new LocalRanges(4, 16),
        (ordinal, state) -> journal.add(ordinal + ":" + name(state)));
  }

  private static String name(short state) {
    String[] names = {"absent", "live", "deleted", "insert?", "update?", "delete?"};
    return names[State.status(state)] + " " + State.edition(state);
  }

  private static Map<String, Object> with(Map<String, Object> row, String column, Object value) {
    Map<String, Object> other = new HashMap<>(row);
    other.put(column, value);
    return other;
  }

  /** Answers each statement with rows, or as having changed so many, in autocommit. */
  private record Fake(List<Map<String, Object>> rows, long changed) implements StatementStore {
    @Override
    public String system() {
      return "postgresql";
    }

    @Override
    public void run(Plan plan, Object[] arguments, Answers answers, Phases phases)
        throws CallFailure {
      answers.begin();
      for (Map<String, Object> row : rows) {
        List<Object> wanted = new ArrayList<>();
        plan.steps().get(0).wanted().forEach(column -> wanted.add(row.get(column)));
        answers.row(0, wanted, Equality.EXACT);
      }
      try {
        answers.ended(0, plan.writes() ? changed : rows.size());
      } catch (CallFailure e) {
        throw new CallFailure(e.kind(), !plan.writes(), false, e.getMessage());
      }
    }
  }

  private Call<StatementStore> prepared(String transaction, int arrival) {
    return model.transaction(transaction).prepare(new Draws().at(1, arrival), keys);
  }

  private static Outcome outcome(Call<StatementStore> call, boolean unknownBefore, Fake fake) {
    try {
      call.run(fake, Phases.NONE);
      return call.finish(null, unknownBefore);
    } catch (CallFailure e) {
      return call.finish(e, unknownBefore);
    }
  }

  private Outcome found(String find, List<Map<String, Object>> rows) {
    return outcome(prepared(find, 1), false, new Fake(rows, 0));
  }

  private long wrong(String find, List<Map<String, Object>> rows) {
    long wrong = 0;
    for (int arrival = 0; arrival < 4000; arrival++) {
      Call<StatementStore> call = prepared(find, arrival);
      wrong += outcome(call, false, new Fake(rows, 0)).equals(WRONG_ROW) ? 1 : 0;
    }
    return wrong;
  }

  static Stream<String> finds() {
    return DocumentStoreData.TRANSACTIONS.stream().filter(name -> name.startsWith("find-"));
  }

  /** Mutations: a condition left out; NULL let pass. */
  @ParameterizedTest
  @MethodSource("finds")
  void whatTheConditionExcludesIsAWrongRow(String find) {
    assertThat(found(find, List.of(DOCUMENT_0))).isEqualTo(Outcome.done(1));
    List<Map<String, Object>> wrong = new ArrayList<>();
    wrong.add(with(DOCUMENT_0, "id", UUID.fromString("307dc898-b58b-4f88-b73c-f551ce4567a2")));
    Stream.of("id", "filter1", "edition").forEach(name -> wrong.add(with(DOCUMENT_0, name, null)));
    wrong.add(with(DOCUMENT_0, "edition", -1L));
    wrong.add(with(DOCUMENT_0, "filter1", "not-of-this-data"));
    Stream.of("filter2", "filter4", "filter5")
        .filter(find::contains)
        .forEach(
            name -> {
              wrong.add(with(DOCUMENT_0, name, null));
              wrong.add(with(DOCUMENT_0, name, "another"));
            });
    if (find.endsWith("filter3-lte")) {
      wrong.add(with(DOCUMENT_0, "filter3", null));
      wrong.add(with(DOCUMENT_0, "filter3", 918532124756L));
    }
    for (Map<String, Object> row : wrong) {
      assertThat(found(find, List.of(row))).as("%s", row).isEqualTo(WRONG_ROW);
    }
  }

  @ParameterizedTest
  @MethodSource("finds")
  void moreRowsThanTheLimitAreAWrongAnswer(String find) {
    int limit = find.matches(".*(filter1|filter2)") ? 1 : 100;
    List<Map<String, Object>> rows =
        new ArrayList<>(java.util.Collections.nCopies(limit, DOCUMENT_0));
    assertThat(found(find, rows)).isEqualTo(Outcome.done(limit));
    rows.add(DOCUMENT_0);
    assertThat(found(find, rows)).isEqualTo(WRONG_ROW);
  }

  /** Nobody here owns document 2, and what it must hold is known all the same. */
  @Test
  void aRowThatIsAsItShouldBeIsDone() {
    assertThat(wrong(BY_KEY, List.of(DOCUMENT_0))).isZero();
    assertThat(wrong("find-by-id-and-filter2-list", List.of(DOCUMENT_0, DOCUMENT_2))).isZero();
  }

  /**
   * Of small documents one in eight is compared whole, of larger ones as many as 64 bytes a call
   * are. Mutations: only filters compared; each call; always the first row.
   */
  @Test
  void aShareOfTheRowsIsComparedWhole() {
    Map<String, Object> wrong = with(DOCUMENT_0, "document", TEXT.replace("mkgh", "mkgi"));
    assertThat(wrong(BY_KEY, List.of(wrong))).isBetween(430L, 570L);
    assertThat(wrong("find-by-id-and-filter5", List.of(DOCUMENT_0, wrong))).isBetween(35L, 95L);
    model = model("2KiB");
    assertThat(wrong(BY_KEY, List.of(wrong))).isBetween(80L, 160L);
  }

  /** Document 0 has this filter3 at edition 1. A replica may show it before its acknowledgement. */
  @Test
  void whatIsRightDependsOnTheEditionOfTheRow() {
    Map<String, Object> next = with(with(DOCUMENT_0, "filter3", 501165655330L), "edition", 1L);
    assertThat(found(BY_KEY, List.of(next))).isEqualTo(new Outcome.Done(1, 0, true));
    assertThat(wrong(BY_KEY, List.of(next))).isZero();
    assertThat(wrong(BY_KEY, List.of(with(next, "edition", 0L)))).isPositive();
    assertThat(wrong(BY_KEY, List.of(with(DOCUMENT_0, "edition", 1L)))).isPositive();
  }

  @Test
  void aDocumentThatMustBeThereAndIsNotIsAStaleRead() {
    assertThat(found(BY_KEY, List.of())).isEqualTo(new Outcome.Missing(true));
    assertThat(found("find-by-id-and-filter5", List.of(DOCUMENT_2)))
        .isEqualTo(new Outcome.Done(1, 0, true));
  }

  // Writes of one document, at edition 3.

  private Call<StatementStore> write(String transaction) {
    keys = keys(3);
    return prepared(transaction, 1);
  }

  private static Outcome changed(Call<StatementStore> call, boolean unknownBefore, long rows) {
    return outcome(call, unknownBefore, new Fake(List.of(), rows));
  }

  private boolean claimed() {
    return keys.claimLive(new Draws().at(1, 1)) < 0;
  }

  @Test
  void oneRowIsDone() {
    assertThat(changed(write("update"), false, 1)).isEqualTo(CHANGED);
    assertThat(journal).containsExactly("0:live 4");
    assertThat(claimed()).isFalse();
  }

  /** Mutation: an honest miss or a stale read, which a replica would excuse. */
  @Test
  void anotherNumberOfRowsIsAWrongAnswer() {
    for (int rows : new int[] {0, 2}) {
      journal.clear();
      assertThat(changed(write("update"), false, rows)).isEqualTo(new Outcome.Unknown("wrong-row"));
      assertThat(journal).containsExactly("0:update? 3");
      assertThat(claimed()).isTrue();
    }
    journal.clear();
    assertThat(changed(write("delete"), false, 0)).isEqualTo(new Outcome.Unknown("wrong-row"));
    assertThat(journal).containsExactly("0:delete? 3");
  }

  /** Mutations: an error of its own; the claim given back, although the first may still come. */
  @Test
  void noRowAfterAnUnansweredAttemptIsThatAttempt() {
    Call<StatementStore> update = write("update");
    assertThat(update.mayRepeat(true)).isTrue();
    assertThat(changed(update, true, 0)).isEqualTo(CHANGED);
    assertThat(journal).containsExactly("0:live 4");
    assertThat(claimed()).isTrue();
    journal.clear();
    Call<StatementStore> delete = write("delete");
    assertThat(delete.mayRepeat(true)).isTrue();
    assertThat(changed(delete, true, 0)).isEqualTo(CHANGED);
    assertThat(journal).containsExactly("0:deleted 3");
    journal.clear();
    assertThat(changed(write("update"), true, 2)).isEqualTo(new Outcome.Unknown("wrong-row"));
    assertThat(journal).containsExactly("0:update? 3");
  }

  /** Mutations: repeat it on any table; a duplicate key without an unanswered attempt is done. */
  @Test
  void anInsertIsRepeatedWhereItsTableRefusesACopy() throws Exception {
    assertThat(write("insert").mayRepeat(true)).isFalse();
    FakeAdmin admin = new FakeAdmin();
    admin.rows.put("data_table", 4L);
    admin.refusesCopies = true;
    model =
        model.ready(
            new Ports() {
              @Override
              public <P> P port(Class<P> type) {
                return type.cast(type == StatementAdmin.class ? admin : new Fake(List.of(), 1));
              }
            });
    Call<StatementStore> insert = write("insert");
    assertThat(insert.mayRepeat(true)).isTrue();
    assertThat(insert.finish(duplicate, true)).isEqualTo(CHANGED);
    assertThat(journal).containsExactly("4:live 0");
    assertThat(write("insert").finish(duplicate, false))
        .isEqualTo(new Outcome.Failed("duplicate-key"));
  }

  @Test
  void withoutAnAnswerTheStateIsUnknown() {
    assertThat(write("update").finish(refused, true)).isEqualTo(new Outcome.Unknown("refused"));
    assertThat(write("delete").finish(timeout, false)).isEqualTo(new Outcome.Unknown("timeout"));
    write("update").leaveUnknown();
    assertThat(journal).containsExactly("0:update? 3", "0:delete? 3", "0:update? 3");
    assertThat(claimed()).isTrue();
  }

  @Test
  void aRefusalChangesNothing() {
    assertThat(write("update").finish(refused, false)).isEqualTo(new Outcome.Failed("refused"));
    assertThat(journal).isEmpty();
    assertThat(claimed()).isFalse();
  }
}
