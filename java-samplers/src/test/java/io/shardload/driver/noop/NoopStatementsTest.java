package io.shardload.driver.noop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.driver.Marks;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NoopStatementsTest {
  private static Target target(String errorsPercent) {
    JsonObject options = new JsonObject();
    options.addProperty("errors-percent", errorsPercent);
    return new NoopDriver()
        .open(
            new TargetConfig("t", "noop", "", "", "", "", options),
            new Session("r", 1, Duration.ofSeconds(1)));
  }

  private static Plan plan(boolean writes) {
    SqlStatement statement =
        new SqlStatement(
            new Place("transactions/t/postgresql.sql", 1), List.of("q"), List.of(), "q", writes);
    return new Plan("t", 0, Isolation.NONE, List.of(), List.of(statement), List.of(Step.ANY));
  }

  private static List<String> run(Plan plan, String errorsPercent) throws CallFailure {
    List<String> heard = new ArrayList<>();
    Answers answers =
        new Answers() {
          @Override
          public void begin() {
            heard.add("begin");
          }

          @Override
          public void row(int statement, Object[] wanted, Equality equality) {
            heard.add("row");
          }

          @Override
          public void ended(int statement, long rows) {
            heard.add("ended " + statement + " " + rows);
          }
        };
    Phases phases = new Marks(heard);
    target(errorsPercent).port(StatementStore.class).run(plan, new Object[0], answers, phases);
    return heard;
  }

  @Test
  void noRowComesAndNothingIsJudged() throws CallFailure {
    assertThat(run(plan(false), "0")).containsExactly("begin", "connected", "found", "ended 0 -1");
    assertThat(run(plan(true), "0"))
        .containsExactly("begin", "connected", "acknowledged", "ended 0 -1");
    assertThatThrownBy(() -> run(plan(true), "100"))
        .isInstanceOf(CallFailure.class)
        .hasMessage("planned by errors-percent");
  }

  @Test
  void aQueryForValuesIsRefused() {
    StatementAdmin admin = target("0").port(StatementAdmin.class);
    assertThatThrownBy(() -> admin.ask(plan(false).statements().get(0), Map.of(), 1))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "noop cannot answer the query in transactions/t/postgresql.sql: it keeps no data");
  }
}
