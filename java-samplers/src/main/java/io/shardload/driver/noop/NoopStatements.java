package io.shardload.driver.noop;

import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Phases;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Rehearsal;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * Answers statements as planned and keeps nothing: it returns no row, and a transaction's
 * expectations of rows are not checked.
 */
final class NoopStatements implements StatementStore, StatementAdmin {
  private static final long NOT_BEGUN = Long.MIN_VALUE;

  private final ServicePlan plan;
  private final boolean immediate;
  private final Clock clock;
  private final AtomicLong firstBegin = new AtomicLong(NOT_BEGUN);
  private final AtomicLong calls = new AtomicLong();

  NoopStatements(ServicePlan plan, Clock clock) {
    this.plan = plan;
    this.immediate = plan.immediate();
    this.clock = clock;
  }

  @Override
  public String system() {
    return "noop";
  }

  @Override
  public void run(Plan statements, Object[] arguments, Answers answers, Phases phases)
      throws CallFailure {
    answers.begin();
    phases.connected();
    if (!immediate) {
      serveAsPlanned();
    }
    if (statements.writes()) {
      phases.acknowledged();
    } else {
      phases.found();
    }
    for (int i = 0; i < statements.statements().size(); i++) {
      answers.ended(i, Answers.UNJUDGED);
    }
  }

  /** Takes the planned time, or fails as planned. */
  private void serveAsPlanned() throws CallFailure {
    long index = calls.getAndIncrement();
    long begin = clock.nanoTime();
    if (firstBegin.get() == NOT_BEGUN) {
      firstBegin.compareAndSet(NOT_BEGUN, begin);
    }
    long origin = firstBegin.get();
    long end = origin + plan.endNanos(begin - origin, index);
    if (end > begin) {
      try {
        clock.sleepUntil(end);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CallFailure("interrupted", true, false, "interrupted during the call");
      }
    }
    if (plan.fails(index)) {
      throw new CallFailure("planned-error", true, true, "planned by errors-percent");
    }
  }

  @Override
  public List<String> present(List<String> tables) {
    return List.of();
  }

  @Override
  public void createTables(List<Statement> schema, Making making, Progress steps) {}

  @Override
  public List<Problem> check(
      List<Statement> schema,
      List<TableRows> tables,
      List<Plan> plans,
      Map<String, ValueType> types,
      List<Rehearsal> rehearsals) {
    return List.of();
  }

  @Override
  public void load(
      TableRows rows, long from, long end, boolean isContinued, LongConsumer progress) {}

  @Override
  public void empty(String table) {}

  @Override
  public void read(TableRows table, String key, List<Object> keys, Answers rows) {}

  @Override
  public long count(String table) {
    return 0;
  }

  @Override
  public Answer ask(Statement statement, Map<String, Object> arguments, int most) {
    throw new ConfigException(
        "target.driver",
        "noop cannot answer the query in %s: it keeps no data".formatted(statement.place().file()));
  }
}
