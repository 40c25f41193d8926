package io.shardload.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
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
    assertThat(ServerEvidence.findings(evidence(10_000)))
        .containsExactly(
            "find-by-id-and-filter5 reads the whole table (10000 documents loaded): its plan uses"
                + " no index",
            "find-by-id-and-filter5 goes to 4 of 4 shards");
  }

  @Test
  void aTinyTableIsRightlyReadAsAWhole() {
    assertThat(ServerEvidence.findings(evidence(9_999)))
        .noneMatch(finding -> finding.contains("whole table"));
  }

  @Test
  void whatTheServerDoesNotExplainIsPointedOutWithAReason() {
    JsonObject evidence =
        BundleFixture.parse(
            "{'documents':5,'plans':{'insert':{'access':'none','text':'x'},"
                + "'update':{'access':'unknown','shards':'unknown','text':'not allowed'},"
                + "'delete':{'access':'unknown','shards':'unknown','text':'not asked'}}}");
    assertThat(ServerEvidence.findings(evidence))
        .containsExactly(
            "the server explains 1 of 3 transactions; not, for example, update (not allowed)");
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
