package io.shardload.workload.statements;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.bundle.BundleFixture;
import io.shardload.workload.Repeats;
import io.shardload.workload.statements.Definitions.CheckTime;
import io.shardload.workload.statements.folder.Switches;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Step;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DefinitionsTest {
  private static final List<String> NAMES = List.of("find", "order");

  private static Definitions read(String transactions, String checks, boolean existing) {
    return Definitions.read(
        BundleFixture.parse(transactions),
        NAMES,
        BundleFixture.parse(checks),
        List.of("sums"),
        Switches.NONE,
        existing);
  }

  private static Definitions.Transaction find(String text) {
    return read("{'find':" + text + "}", "{}", false).transactions().get("find");
  }

  private static List<String> problems(String transactions, String checks) {
    return refusalOf(() -> read(transactions, checks, false)).problems().stream()
        .map(one -> one.key() + ": " + one.getMessage())
        .toList();
  }

  @Test
  void whatIsNotSaidIsNotWanted() {
    Definitions all = read("{}", "{}", false);
    assertThat(all.transactions().keySet()).containsExactlyElementsOf(NAMES);
    assertThat(all.transactions().get("order").steps(3))
        .containsExactly(Step.ANY, Step.ANY, Step.ANY);
    assertThat(all.transactions().get("order").isolation()).isEqualTo(Isolation.NONE);
    assertThat(all.checks().keySet()).containsExactly("sums");
    assertThat(all.checks().get("sums").when()).isEqualTo(CheckTime.BOTH);
    assertThat(read("{}", "{}", true).checks().get("sums").when()).isEqualTo(CheckTime.AFTER);
    assertThat(read("{}", "{'sums':{'when':'before'}}", true).checks().get("sums").when())
        .isEqualTo(CheckTime.BEFORE);
  }

  /** Mutation: a system without a section of its own has that of its family, or the common one. */
  @Test
  void aSystemMayExpectOtherAnswers() {
    Definitions all =
        read(
            """
            {'order': {'isolation': 'serializable', 'postgresql': {'steps': [{'rows': 'one'}, {}]},
              'ferretdb': {'isolation': 'none', 'rows': 'one', 'contains': {'tags': 'tag'}},
              'rows': '3'}}
            """,
            "{'sums': {'systems': ['postgresql']}}",
            false);
    assertThat(all.of("order", "citus").steps()).hasSize(2);
    assertThat(all.of("order", "citus").isolation()).isEqualTo(Isolation.SERIALIZABLE);
    assertThat(all.of("order", "mongodb").steps().get(0).fewest()).isEqualTo(3);
    Definitions.Transaction ferretdb = all.of("order", "ferretdb");
    assertThat(ferretdb.isolation()).isEqualTo(Isolation.NONE);
    assertThat(ferretdb.steps().get(0).conditions())
        .containsExactly(new Step.Condition(Step.Relation.CONTAINS, "tags", "tag"));
    assertThat(all.named()).containsExactly("tag");
    assertThat(all.checks().get("sums").isOf("citus")).isTrue();
    assertThat(all.checks().get("sums").isOf("mongodb")).isFalse();
  }

  @Test
  void whatIsWrongForASystemHasItsKey() {
    assertThat(
            problems(
                "{'find': {'mongodb': {'rows': 'on'}}, 'order': {'postgresql': {'greater': 3}}}",
                "{'sums': {'systems': ['postgres']}}"))
        .satisfiesExactly(
            one -> assertThat(one).startsWith("workload.transactions.find.mongodb.rows: 'on'"),
            one -> assertThat(one).startsWith("workload.transactions.order.postgresql.greater: "),
            one ->
                assertThat(one)
                    .startsWith(
                        "workload.checks.sums.systems: unknown system \"postgres\"; did you mean"));
  }

  @Test
  void rowsMayHaveAnOrder() {
    assertThat(find("{'sorted': {'at': 'descending'}}").steps().get(0).order())
        .isEqualTo(new Step.Order("at", true));
    assertThat(problems("{'find': {'sorted': {'at': 'down'}}}", "{}"))
        .containsExactly(
            "workload.transactions.find.sorted.at: unknown value \"down\"; known are ascending,"
                + " descending");
    assertThat(problems("{'find': {'sorted': {'a': 'ascending', 'b': 'ascending'}}}", "{}"))
        .containsExactly("workload.transactions.find.sorted.b: is a second column; sorted has one");
  }

  @ParameterizedTest
  @CsvSource({
    "one, 1, 1",
    "zero-or-one, 0, 1",
    "none, 0, 0",
    "any, -1, 9223372036854775807",
    "5, 5, 5",
    "1..100, 1, 100",
    "2.., 2, 9223372036854775807"
  })
  void rowsAreARange(String text, long fewest, long most) {
    assertThat(find("{'rows':'" + text + "'}").steps(1))
        .containsExactly(new Step(fewest, most, Map.of(), Map.of()));
  }

  @Test
  void stepsStandForStatements() {
    Definitions.Transaction definition =
        find(
            "{'isolation':'repeatable-read','steps':[{'rows':'one','capture':{'b':'balance'}},"
                + "{},{'equal':{'id':'customer'}}]}");
    assertThat(definition.isolation()).isEqualTo(Isolation.REPEATABLE_READ);
    assertThat(definition.steps(3))
        .containsExactly(
            new Step(1, 1, Map.of(), Map.of("b", "balance")),
            Step.ANY,
            new Step(-1, Long.MAX_VALUE, Map.of("id", "customer"), Map.of()));
    assertThat(definition.steps(2)).isNull();
    assertThat(find("{'rows':'one'}").steps(2)).isNull();
    assertThat(find("{'atomic':false}").severalCommits()).isTrue();
  }

  @Test
  void allProblemsComeAtOnce() {
    assertThat(
            problems(
                "{'finde':{},'find':{'rows':'1..0'},'order':{'steps':[],'rows':'one'}}",
                "{'sum':{}}"))
        .containsExactly(
            "workload.transactions.finde: unknown transaction \"finde\"; did you mean \"find\"?",
            "workload.transactions.find.rows: 1..0 has a lower bound above its upper bound",
            "workload.transactions.order.rows: cannot be set together with steps: move"
                + " it into a step",
            "workload.checks.sum: unknown check \"sum\"; did you mean \"sums\"?");
    assertThat(problems("{'find':{'rows':'many'}}", "{'sums':{'when':'after','then':1}}"))
        .containsExactly(
            "workload.transactions.find.rows: 'many' is not one of: one, zero-or-one,"
                + " none, any, a number (5), a range (1..100, 1..)",
            "workload.checks.sums.then: unknown option \"then\"; did you mean \"when\"?");
    assertThat(problems("{'find':{'isolation':'serialisable'}}", "{}"))
        .containsExactly(
            "workload.transactions.find.isolation: unknown value \"serialisable\"; did you mean"
                + " \"serializable\"?");
    assertThat(problems("{'find':{'isolation':'default','atomic':false}}", "{}"))
        .containsExactly(
            "workload.transactions.find.atomic: cannot be false together with isolation: default");
    assertThat(problems("{'find':{'steps':[{'row':'one'}]}}", "{}"))
        .containsExactly(
            "workload.transactions.find.steps.0.row: unknown option \"row\"; did you mean"
                + " \"rows\"?");
  }

  @Test
  void aStepMayRefuse() {
    Definitions.Transaction guarded =
        find(
            "{'isolation':'default','steps':[{'rows':'one','otherwise':'refuse'},{'rows':'one'}]}");
    assertThat(guarded.steps(2))
        .containsExactly(
            new Step(1, 1, List.of(), null, Map.of(), true, ""),
            new Step(1, 1, Map.of(), Map.of()));
    assertThat(problems("{'find':{'rows':'one','otherwise':'refused'}}", "{}"))
        .containsExactly(
            "workload.transactions.find.otherwise: unknown value \"refused\"; did you mean"
                + " \"refuse\"?");
    assertThat(problems("{'find':{'otherwise':'refuse','equal':{'id':'a'}}}", "{}"))
        .containsExactly(
            "workload.transactions.find.otherwise: needs rows: any number of rows meets this step");
  }

  /** Mutation: a section for one system forgets them. */
  @Test
  void aTransactionSaysWhenItIsRepeated() {
    assertThat(find("{}").repeats()).isEqualTo(Repeats.BY_PROFILE);
    assertThat(find("{'retries':{'times':5}}").repeats()).isEqualTo(new Repeats(5, 0, 0, false));
    assertThat(find("{'retries':{'times':0,'wait':'20ms'},'unknown':'repeat'}").repeats())
        .isEqualTo(new Repeats(0, 20_000_000, 20_000_000, true));
    Definitions all =
        read(
            "{'find':{'retries':{'times':5,'wait':'5ms..50ms'},'unknown':'repeat',"
                + "'postgresql':{'rows':'one'}}}",
            "{}",
            false);
    assertThat(all.of("find", "citus").repeats())
        .isEqualTo(new Repeats(5, 5_000_000, 50_000_000, true));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'times':21} | .times: 21 is outside 0 to 20",
        "{'wait':'5ms'} | .times: is missing",
        "{'times':1,'wait':'11s'} | .wait: '11s' is not a wait of at most 10s, such as 20ms or 5ms..50ms",
        "{'times':1,'wait':'9ms..5ms'} | .wait: '9ms..5ms' is not a wait of at most 10s, such as 20ms or 5ms..50ms",
        "{'times':1,'wait':'..5ms'} | .wait: '..5ms' is not a wait of at most 10s, such as 20ms or 5ms..50ms",
        "{'times':1,'time':2} | .time: unknown option \"time\"; did you mean \"times\"?"
      })
  void wrongRetriesAreNamed(String retries, String problem) {
    assertThat(problems("{'find':{'retries':" + retries + "}}", "{}"))
        .containsExactly("workload.transactions.find.retries" + problem);
  }

  @Test
  void countsOfCallsAreNamedByTheirTransaction() {
    List<String> transactions = List.of("place-order", "find");
    assertThat(FolderChecks.CallCount.names(transactions))
        .containsExactly(
            "done_place_order",
            "unknown_place_order",
            "refused_place_order",
            "rows_place_order",
            "done_find",
            "unknown_find",
            "refused_find",
            "rows_find");
    assertThat(FolderChecks.CallCount.parse("unknown_place_order", transactions))
        .contains(new FolderChecks.CallCount("place-order", FolderChecks.CallCount.Kind.UNKNOWN));
    assertThat(FolderChecks.CallCount.parse("done_order", transactions)).isEmpty();
  }
}
