package io.shardload.driver.noop;

import io.shardload.driver.Clock;
import io.shardload.driver.Driver;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;

/** Answers without a server. */
public final class NoopDriver implements Driver {
  private final Clock clock;

  /** For ServiceLoader. */
  public NoopDriver() {
    this(Clock.SYSTEM);
  }

  /**
   * @param clock on which the planned times pass
   */
  public NoopDriver(Clock clock) {
    this.clock = clock;
  }

  @Override
  public String name() {
    return "noop";
  }

  @Override
  public void check(TargetConfig target) {
    ServicePlan.read(Driver.options(target));
    Driver.schema(target).rejectUnknown();
  }

  @Override
  public Target open(TargetConfig target, Session session) {
    return new NoopTarget(ServicePlan.read(Driver.options(target)), clock);
  }
}
