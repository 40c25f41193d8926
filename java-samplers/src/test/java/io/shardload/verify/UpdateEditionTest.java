package io.shardload.verify;

import static io.shardload.driver.Caught.failureOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.data.Draws;
import io.shardload.driver.Session;
import io.shardload.driver.SwallowingProxy;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.TestDatabases;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.driver.TestMongo;
import io.shardload.keys.FileJournal;
import io.shardload.keys.Keys;
import io.shardload.keys.LocalRanges;
import io.shardload.keys.Ownership;
import io.shardload.keys.States;
import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Outcome;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.StatementStore;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An update changes a document at the known edition only. So a second attempt at one whose answer
 * was lost changes nothing, which is no error; and an update that was acknowledged and taken back
 * is not overwritten by the next one.
 *
 * <p>Mutations that turned it red: 0 rows always an error; updates without the edition in SQL.
 */
class UpdateEditionTest {
  static Stream<Arguments> servers() {
    return Stream.of(
        Arguments.of("PostgreSQL", "a2d598abf61ff95e", TestDatabases.fresh().config("{}")),
        Arguments.of(
            "FerretDB", "updates", TestMongo.ferretdb().config("{}", "{'index': 'ascending'}")),
        Arguments.of("a fake of MongoDB", "updates", TestMongo.fake().config("{}")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("servers")
  void anUpdateWhoseAnswerWasLostIsDone(
      String server, String word, TargetConfig direct, @TempDir Path temporary) throws Exception {
    Path bundle = temporary.resolve("run-1");
    try (Target target = open(direct, direct.url())) {
      GoldenData.begin(target, bundle);
      GoldenData.writeBundle(bundle, true, journal -> updateTwice(direct, word, journal));

      Verification result = GoldenData.verify(target, bundle);

      assertThat(result.verdict()).isEqualTo("clean");
      assertThat(result.settledUnknown()).isZero();
    }
  }

  @Test
  void anUpdateThatWasTakenBackIsNotOverwritten(@TempDir Path temporary) throws Exception {
    Database database = TestDatabases.fresh();
    Path bundle = temporary.resolve("run-1");
    try (Target target = database.open("{}")) {
      GoldenData.begin(target, bundle);
      GoldenData.writeBundle(
          bundle,
          true,
          journal -> {
            Keys keys = keys(journal);
            assertThat(update(keys, target)).isEqualTo(new Outcome.Done(1, 1, false));
            database.execute(
                "UPDATE data_table SET filter3 = 918532124755, edition = 0"
                    + " WHERE filter1 = '0a385ef24fa6a992'");
            assertThat(update(keys, target)).isEqualTo(new Outcome.Unknown("wrong-row"));
          });

      assertThat(GoldenData.verify(target, bundle).findings())
          .extracting(finding -> finding.kind().label() + " " + finding.ordinal())
          .containsExactly("stale 0");
    }
  }

  private static Call<StatementStore> call(Keys keys, Target target) {
    return GoldenData.model(target).transaction("update").prepare(new Draws().at(1, 1), keys);
  }

  private static Outcome update(Keys keys, Target target) {
    Call<StatementStore> call = call(keys, target);
    try {
      call.run(target.port(StatementStore.class), Phases.NONE);
      return call.finish(null, false);
    } catch (CallFailure e) {
      return call.finish(e, false);
    }
  }

  private static void updateTwice(TargetConfig direct, String word, FileJournal journal) {
    URI url = URI.create(direct.url());
    try (SwallowingProxy proxy = new SwallowingProxy(url.getPort(), word);
        Target target =
            open(direct, direct.url().replace(":" + url.getPort(), ":" + proxy.port()))) {
      Keys keys = keys(journal);
      StatementStore store = target.port(StatementStore.class);
      Call<StatementStore> call = call(keys, target);

      CallFailure lost = failureOf(() -> call.run(store, Phases.NONE));
      assertThat(proxy.swallowed()).isTrue();
      assertThat(lost.effectExcluded()).isFalse();
      assertThat(lost.transientFailure()).isTrue();
      assertThat(call.mayRepeat(true)).isTrue();
      CallFailure again = failureOf(() -> call.run(store, Phases.NONE));

      assertThat(call.finish(again, true)).isEqualTo(new Outcome.Done(1, 1, false));
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Those of document 0 alone. */
  private static Keys keys(FileJournal journal) {
    return new Keys(
        new Ownership(0, 1, 1),
        States.loaded(1),
        GoldenData.model().ranks(),
        new LocalRanges(1, 16),
        journal);
  }

  private static Target open(TargetConfig config, String url) {
    TargetConfig through =
        new TargetConfig(
            config.name(),
            config.driver(),
            "",
            url,
            config.user(),
            "",
            config.options(),
            config.schema(),
            config.durability());
    return TestDatabases.driver(config.driver())
        .open(through, new Session("test", 1, Duration.ofSeconds(5)));
  }
}
