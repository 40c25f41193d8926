package io.shardload.results;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ServerEvidenceTest {
  private static JsonObject evidence(long documents) {
    return BundleFixture.parse(
        "{'documents':"
            + documents
            + ",'plans':{'insert':{'access':'none','shards':'one of 4','scans':{},'text':'long'},"
            + "'find-by-id-and-filter5':{'access':'full-scan','shards':'4 of 4','scans':{'data':"
            + documents
            + "},'text':'long'}}}");
  }

  @Test
  void aScanOfEverythingAndScatteredTransactionsArePointedOut() {
    assertThat(ServerEvidence.findings(evidence(1_000)))
        .containsExactly(
            "no index narrows the search in data, so about 1000 rows are read per call:"
                + " find-by-id-and-filter5",
            "several shards are asked: find-by-id-and-filter5 (4 of 4)");
  }

  @Test
  void aTinyTableIsRightlyReadAsAWhole() {
    assertThat(ServerEvidence.findings(evidence(999)))
        .containsExactly("several shards are asked: find-by-id-and-filter5 (4 of 4)");
  }

  @Test
  void eachTableIsJudgedByWhatIsReadOfIt() {
    JsonObject evidence =
        BundleFixture.parse(
            "{'documents':13769,'plans':{"
                + "'read-newest':{'access':'full-scan','scans':{'tags':50,'posts':10}},"
                + "'search':{'access':'full-scan','scans':{'tags':50,'posts':9000}},"
                + "'count':{'access':'full-scan','scans':{'posts':10000,'links':2000}}}}");
    assertThat(ServerEvidence.findings(evidence))
        .containsExactly(
            "no index narrows the search in links, so about 2000 rows are read per call: count",
            "no index narrows the search in posts, so about 10000 rows are read per call:"
                + " search, count");
  }

  private static JsonObject tenantScan(int documents) {
    return BundleFixture.parse(
        "{'documents':5000,'plans':{'find-by-id-and-filter5':{'access':'tenant-scan',"
            + "'documents_per_tenant':"
            + documents
            + "},'insert':{'access':'none'}}}");
  }

  @Test
  void aTenantThatIsReadAsAWholeIsPointedOutUnlessItIsSmall() {
    assertThat(ServerEvidence.findings(tenantScan(20)))
        .containsExactly(
            "only the index on id is used, so all documents of a tenant (about 20) are read:"
                + " find-by-id-and-filter5");
    assertThat(ServerEvidence.findings(tenantScan(19))).isEmpty();
  }

  @Test
  void whatTheServerDoesNotExplainIsPointedOutWithTheFirstReason() {
    JsonObject evidence =
        BundleFixture.parse(
            "{'documents':5,'plans':{'insert':{'access':'none','text':'x'},"
                + "'update':{'access':'unknown','shards':'unknown','text':'not allowed'},"
                + "'delete':{'access':'unknown','shards':'unknown','text':'not asked'}}}");
    assertThat(ServerEvidence.findings(evidence))
        .containsExactly("the query plans of 2 of 3 transactions are not known: not allowed");
  }

  @Test
  void theSummaryLeavesTheLongTextOut() {
    JsonObject evidence = evidence(1);
    assertThat(ServerEvidence.summary(evidence).toString()).doesNotContain("long");
    assertThat(evidence.toString()).contains("long");
    assertThat(ServerEvidence.summary(null).isJsonNull()).isTrue();
    assertThat(ServerEvidence.findings(null)).isEmpty();
  }

  private static List<String> hottest(String placement) {
    return Findings.hottestShard(BundleFixture.parse("{'server':{'placement':" + placement + "}}"));
  }

  /** The operations may be what is uneven, and what is not known is not told. */
  @Test
  void aShardWithMuchMoreThanItsShareIsPointedOut() {
    String limit = ": it reaches its limit before the other shards do";
    assertThat(
            hottest(
                "[{'shard':'w1:1','documents_share':0.3,'operations_share':0.3},"
                    + "{'shard':'w2:1','documents_share':0.7,'operations_share':0.7}]"))
        .containsExactly(
            "the hottest shard, w2:1, holds 70.0 % of the documents (1.40 times the mean) and takes"
                + " 70.0 % of the operations (1.40 times the mean)"
                + limit);
    assertThat(
            hottest(
                "[{'shard':'s0','documents_share':0.642857},"
                    + "{'shard':'s1','documents_share':0.357143}]"))
        .containsExactly(
            "the hottest shard, s0, holds 64.3 % of the documents (1.29 times the mean)" + limit);
    assertThat(
            hottest(
                "[{'shard':'s0','documents_share':0.5,'operations_share':0.25},"
                    + "{'shard':'s1','documents_share':0.5,'operations_share':0.75}]"))
        .containsExactly(
            "the hottest shard, s1, holds 50.0 % of the documents (1.00 times the mean) and takes"
                + " 75.0 % of the operations (1.50 times the mean)"
                + limit);
  }

  /** 5 of 12 and 3.5 of 12 of three shards: 1.25 times the mean is let pass. */
  @Test
  void luckOfHashingAndNoPlacementAreNotPointedOut() {
    assertThat(
            hottest(
                "[{'shard':'s0','documents_share':0.416666},"
                    + "{'shard':'s1','documents_share':0.291667},"
                    + "{'shard':'s2','documents_share':0.291667}]"))
        .isEmpty();
    assertThat(hottest("[]")).isEmpty();
    assertThat(Findings.hottestShard(null)).isEmpty();
  }

  private static JsonObject moves(int count) {
    return BundleFixture.parse(
        IntStream.range(0, count)
            .mapToObj(
                i ->
                    "{'at':'2026-11-22T10:00:0%dZ','from':'s0','to':'s1','chunk':'x'}".formatted(i))
            .collect(Collectors.joining(",", "{'server':{'moves':[", "]}}")));
  }

  @Test
  void theMovesAndTheirTimes() {
    assertThat(Findings.movedChunks(moves(1)))
        .containsExactly(
            "the cluster moved 1 chunk between shards during the run, which loads these shards: s0 to s1 at 2026-11-22T10:00:00Z");
    assertThat(Findings.movedChunks(moves(2)).get(0))
        .endsWith("s0 to s1 at 2026-11-22T10:00:00Z, s0 to s1 at 2026-11-22T10:00:01Z");
  }

  @Test
  void ofManyTheFirst() {
    assertThat(Findings.movedChunks(moves(8)).get(0))
        .contains("moved 8 chunks", "10:00:04Z, and 3 more")
        .doesNotContain("10:00:05Z");
  }

  @Test
  void noneAndNotKnown() {
    assertThat(Findings.movedChunks(moves(0))).isEmpty();
    assertThat(Findings.movedChunks(BundleFixture.parse("{'server':{}}"))).isEmpty();
    assertThat(Findings.movedChunks(null)).isEmpty();
  }

  @Test
  void notKnownIsNotNone() {
    assertThat(
            Findings.movedChunks(
                BundleFixture.parse("{'server':{'moves_unknown':'13: not authorized'}}")))
        .containsExactly(
            "whether the cluster moved chunks during the run is not known: config.changelog cannot"
                + " be read: 13: not authorized");
  }
}
