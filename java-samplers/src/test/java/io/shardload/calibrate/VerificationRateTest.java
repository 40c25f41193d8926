package io.shardload.calibrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestMongo;
import io.shardload.verify.GoldenData;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import io.shardload.workload.Progress;
import io.shardload.workload.documentstore.port.DocumentStoreBaseline;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Both sides read every document on either system; how fast is not asserted. */
class VerificationRateTest {
  @Test
  void bothSidesReadAllDocuments() throws CallFailure {
    Model<?> model =
        GoldenData.model(1, "{'documents': 700, 'tenants': 2, 'document-size': '1KiB'}");
    List<Supplier<Target>> systems =
        List.of(
            () -> TestDatabases.fresh().open("{}"),
            () -> TestMongo.fake().open("{}", new Session("test", 2, Duration.ofSeconds(5))));
    for (Supplier<Target> system : systems) {
      try (Target target = system.get()) {
        Figure figure =
            VerificationRate.measure(
                model, target.port(DocumentStoreBaseline.class), 2, Progress.UNHEARD);

        assertThat(figure.rounds()).hasSize(2).doesNotContain(0);
        assertThat(figure.detail()).endsWith("; 700 documents");
        assertThat(figure.goal()).isEqualTo(Goal.atLeast(0.5, ""));
      }
    }
  }
}
