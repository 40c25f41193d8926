package io.shardload.results.hosts;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
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
}
