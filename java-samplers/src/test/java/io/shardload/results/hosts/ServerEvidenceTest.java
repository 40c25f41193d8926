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
            + ",'plans':{'insert':{'access':'none','shards':'one of 4','text':'long'},"
            + "'find-by-id-and-filter5':{'access':'full-scan','shards':'4 of 4','text':'long'}}}");
  }

  @Test
  void aScanOfEverythingAndScatteredTransactionsArePointedOut() {
    assertThat(ServerEvidence.findings(evidence(1_000)))
        .containsExactly(
            "no index is used, so the whole table of 1000 documents is read: find-by-id-and-filter5",
            "several shards are asked: find-by-id-and-filter5 (4 of 4)");
  }

  @Test
  void aTinyTableIsRightlyReadAsAWhole() {
    assertThat(ServerEvidence.findings(evidence(999)))
        .containsExactly("several shards are asked: find-by-id-and-filter5 (4 of 4)");
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
