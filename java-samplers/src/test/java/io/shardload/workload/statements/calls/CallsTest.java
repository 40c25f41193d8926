package io.shardload.workload.statements.calls;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import io.shardload.data.Draws;
import io.shardload.keys.Keys;
import io.shardload.workload.Outcome;
import io.shardload.workload.Transaction;
import io.shardload.workload.statements.parameters.Parameter;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.Step;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CallsTest {
  private static final Map<String, Parameter> PARAMETERS =
      Map.of(
          "order", Fakes.fresh(),
          "newest_order", Fakes.newest(),
          "newest_customer", Fakes.newest(),
          "distinct", Fakes.distinct(),
          "drawn", Fakes.parameter(false, (draws, occasion) -> draws.next(1000)));

  private final Keys keys = Fakes.keys();

  private static Map<String, Transaction<StatementStore>> transactions(
      Map<String, List<Plan>> plans) {
    String section =
        "{\"order\": {\"type\": \"sequential\", \"table\": \"orders\"},"
            + "\"newest_order\": {\"type\": \"reference\", \"table\": \"orders\"},"
            + "\"newest_customer\": {\"type\": \"reference\", \"table\": \"customers\"}}";
    return new Calls(
            PARAMETERS, JsonParser.parseString(section).getAsJsonObject(), Fakes.DOCUMENTS, () -> 5)
        .transactions(plans);
  }

  private StatementCall call(Transaction<StatementStore> transaction, long index) {
    return (StatementCall) transaction.prepare(new Draws().at(1, index), keys);
  }

  /** Turned red by one memory for all tables. */
  @Test
  void rowsThatWereAddedAreRememberedByTable() {
    var all =
        transactions(
            Map.of(
                "add", List.of(Fakes.plan(0, true, Step.ANY, "order")),
                "read",
                    List.of(Fakes.plan(0, false, Step.ANY, "newest_order", "newest_customer"))));
    assertThat(call(all.get("read"), 1).arguments()).containsExactly(-1L, -1L);
    call(all.get("add"), 2).finish(null, false);
    StatementCall second = call(all.get("add"), 3);
    assertThat(second.finish(null, false)).isEqualTo(Outcome.done(0));
    assertThat(call(all.get("read"), 4).arguments()).containsExactly(1L, -1L);
    assertThat(all.get("add").takesNewKeys()).isTrue();
    assertThat(all.get("read").takesNewKeys()).isFalse();
    assertThat(all.get("add").writes()).isTrue();
    assertThat(all.get("read").writes()).isFalse();
  }

  /** As a uuid: what a run inserts must not be there already. A read has nothing to insert. */
  @Test
  void valuesThatMustBeDistinctTakeAFreshNumberWhereTheyAreWritten() {
    var all =
        transactions(
            Map.of(
                "add", List.of(Fakes.plan(0, true, Step.ANY, "distinct")),
                "read", List.of(Fakes.plan(0, false, Step.ANY, "distinct"))));
    assertThat(call(all.get("add"), 1).arguments()).containsExactly(0L);
    assertThat(call(all.get("add"), 1).arguments()).containsExactly(1L);
    assertThat(call(all.get("read"), 1).arguments()).containsExactly(-1L);
    assertThat(all.get("add").takesNewKeys()).isTrue();
    assertThat(all.get("read").takesNewKeys()).isFalse();
  }

  /** 10 000 draws of 4 variants: 2500 each, standard deviation 43. */
  @Test
  void aDrawChoosesTheVariant() {
    List<Plan> variants =
        IntStream.range(0, 4).mapToObj(i -> Fakes.plan(i, false, Step.ANY, "drawn")).toList();
    Transaction<StatementStore> transaction = transactions(Map.of("t", variants)).get("t");
    long[] counts = new long[4];
    for (int index = 0; index < 10_000; index++) {
      counts[call(transaction, index).plan().variant()]++;
    }
    assertThat(LongStream.of(counts).boxed()).allMatch(n -> n > 2200 && n < 2800);
    StatementCall one = call(transaction, 9);
    StatementCall again = call(transaction, 9);
    assertThat(again.plan()).isSameAs(one.plan());
    assertThat(again.arguments()).containsExactly(one.arguments());
  }

  @Test
  void theNewestRowsAreKept() {
    AddedRows rows = new AddedRows();
    for (long fresh = 0; fresh < 3L * AddedRows.MOST + 5; fresh++) {
      rows.add(fresh);
    }
    assertThat(rows.at(0)).isEqualTo(3L * AddedRows.MOST + 4);
    assertThat(rows.at(rows.count() - 1)).isEqualTo(3L * AddedRows.MOST + 5 - rows.count());
    assertThat(rows.count()).isLessThanOrEqualTo(AddedRows.MOST);
  }
}
