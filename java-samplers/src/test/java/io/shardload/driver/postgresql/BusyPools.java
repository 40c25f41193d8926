package io.shardload.driver.postgresql;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Pools that a test opens take their connections for alive. Of one that lay idle for half a second
 * Hikari would first ask the server: on a machine that stands still for so long, one statement more
 * than the test counts, or a dead connection replaced before it sees it.
 */
public final class BusyPools implements BeforeEachCallback, AfterEachCallback {
  private static final String ALIVE_MILLIS = "com.zaxxer.hikari.aliveBypassWindowMs";

  @Override
  public void beforeEach(ExtensionContext context) {
    System.setProperty(ALIVE_MILLIS, "600000");
  }

  @Override
  public void afterEach(ExtensionContext context) {
    System.clearProperty(ALIVE_MILLIS);
  }
}
