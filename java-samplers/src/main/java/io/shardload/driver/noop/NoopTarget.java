package io.shardload.driver.noop;

import io.shardload.config.ConfigException;
import io.shardload.driver.Clock;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.ServerInfo;
import io.shardload.driver.Target;
import java.time.Duration;
import java.util.Map;

/** A target without a server. */
final class NoopTarget implements Target {
  private final ServicePlan plan;
  private final NoopStatements statements;
  private final MemoryDataSets dataSets = new MemoryDataSets();

  NoopTarget(ServicePlan plan, Clock clock) {
    this.plan = plan;
    this.statements = new NoopStatements(plan, clock);
  }

  @Override
  public <P> P port(Class<P> type) {
    if (type.isInstance(statements)) {
      return type.cast(statements);
    }
    throw new ConfigException("target.driver", "noop does not implement " + type.getSimpleName());
  }

  @Override
  public boolean keepsData() {
    return false;
  }

  @Override
  public boolean readsPrimary() {
    return false;
  }

  @Override
  public DataSetStore dataSets() {
    return dataSets;
  }

  @Override
  public ServerInfo server() {
    return new ServerInfo("noop", "", Map.of(), Map.of(), "none", "none");
  }

  @Override
  public Map<String, String> clientSettings() {
    return plan.describe();
  }

  @Override
  public boolean awaitDisconnected(String applicationName, Duration atMost) {
    return true;
  }

  @Override
  public void close() {}
}
