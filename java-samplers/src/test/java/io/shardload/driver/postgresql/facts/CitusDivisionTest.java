package io.shardload.driver.postgresql.facts;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.config.Options;
import io.shardload.driver.Makings;
import io.shardload.driver.OnCitus;
import io.shardload.driver.Target;
import io.shardload.driver.postgresql.CitusIntegrationTest;
import io.shardload.topology.ShardShare;
import io.shardload.verify.GoldenData;
import io.shardload.workload.Model;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.DocumentStoreWorkload;
import io.shardload.workload.documentstore.port.Division;
import io.shardload.workload.documentstore.port.DocumentStoreAdmin;
import io.shardload.workload.documentstore.port.Storage;
import io.shardload.workload.documentstore.port.Storage.Placement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What falls to each node of Citus. */
class CitusDivisionTest {
  private static Storage storage(Placement... placements) {
    return new Storage(0, Map.of(), List.of(placements), Map.of());
  }

  @Test
  void documentsOfANodesShardsAddUp() {
    assertThat(
            CitusDivision.of(
                storage(
                    new Placement("1", "w1:1", 10, 0),
                    new Placement("2", "w2:1", 20, 0),
                    new Placement("3", "w1:1", 5, 0)),
                true))
        .contains(new Division(Map.of("w1:1", 15L, "w2:1", 20L), true));
  }

  @Test
  void aCopyOfAShardCountsInPart() {
    assertThat(
            CitusDivision.of(
                storage(new Placement("1", "w1:1", 10, 0), new Placement("1", "w2:1", 10, 0)),
                true))
        .contains(new Division(Map.of("w1:1", 5L, "w2:1", 5L), false));
  }

  @Test
  void aShardThatWasNeverAnalyzedMakesItUnknown() {
    assertThat(
            CitusDivision.of(
                storage(new Placement("1", "w1:1", 10, 0), new Placement("2", "w2:1", -1, 0)),
                true))
        .isEmpty();
  }

  @Test
  @OnCitus
  void aRealCitusKnowsTheNodesOfTenantsWithoutReadingThem() throws Exception {
    String data = "{'documents': 700, 'tenants': 7, 'document-size': '8B'}";
    Model<?> model = GoldenData.model(1, data);
    try (Target target = CitusIntegrationTest.open("{'distribution': 'id'}")) {
      target
          .port(DocumentStoreAdmin.class)
          .createSchema(Makings.again(target, "data_table"), Progress.UNHEARD);
      model.load(target, 0, 700, done -> {});
      List<String> counted =
          CitusIntegrationTest.ask(
              "SELECT concat(nodename, ':', nodeport, ' ', sum(result::bigint)) FROM"
                  + " run_command_on_placements('data_table', 'SELECT count(*) FROM %s')"
                  + " GROUP BY nodename, nodeport ORDER BY 1");
      List<ShardShare> told = model.placement(target, 1);
      assertThat(told)
          .extracting(share -> share.shard() + " " + Math.round(700 * share.documentsShare()))
          .containsExactlyElementsOf(counted);
      assertThat(told).allMatch(s -> s.operationsShare().getAsDouble() == s.documentsShare());
    }
    Model<?> other = new DocumentStoreWorkload().model(1, Options.none("workload.data"));
    try (Target target = CitusIntegrationTest.open("{'distribution': 'filter1'}")) {
      target
          .port(DocumentStoreAdmin.class)
          .createSchema(Makings.again(target, "data_table"), Progress.UNHEARD);
      model.load(target, 0, 700, done -> {});
      CitusIntegrationTest.ask("ANALYZE data_table");
      List<ShardShare> told = other.placement(target, 1);
      assertThat(told).hasSizeGreaterThan(1).allMatch(share -> share.operationsShare().isEmpty());
      assertThat(told.stream().mapToDouble(ShardShare::documentsShare).sum()).isEqualTo(1);
    }
  }
}
