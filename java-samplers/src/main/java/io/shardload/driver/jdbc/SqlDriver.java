package io.shardload.driver.jdbc;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Driver;
import io.shardload.driver.Hosts;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.TargetConfig;
import java.util.Optional;
import java.util.Set;

/** A driver whose targets have a URL with a database, a user, and options. */
public abstract class SqlDriver implements Driver {
  private final String name;
  private final int defaultPort;

  protected SqlDriver(String name, int defaultPort) {
    this.name = name;
    this.defaultPort = defaultPort;
  }

  /**
   * Reads options and refuses unknown ones.
   *
   * @param hosts empty if the address is not known yet: that of an embedded server
   */
  protected abstract void checkOptions(Options options, Optional<Hosts> hosts);

  /** Reads how tables and indexes are made, and refuses unknown options. */
  protected void checkSchema(Options schema) {
    schema.rejectUnknown();
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final void check(TargetConfig target) {
    ConfigException.all(
        () -> Driver.schema(target).whole(this::checkSchema),
        () -> {
          Optional<Hosts> hosts = Optional.empty();
          // The address of an embedded server is known once it has started.
          if (target.embedded().isEmpty() || !target.url().isEmpty()) {
            hosts = hosts(target.url());
          }
          checkAccess(target, hosts);
        });
  }

  private void checkAccess(TargetConfig target, Optional<Hosts> hosts) {
    ConfigException.all(
        () -> Driver.options(target).whole(options -> checkOptions(options, hosts)),
        () -> {
          if (hosts.isPresent() && target.user().isEmpty()) {
            throw new ConfigException("target.user", "is missing");
          }
        });
  }

  /** Reads a URL; a message never repeats it, because it may hold a password. */
  protected final ServerUrl address(String url) {
    String scheme = name + "://";
    return ServerUrl.parse(url, scheme, defaultPort, scheme + "host:port/database");
  }

  /**
   * Refuses a target whose client is not there: the plugin is without those of some licences.
   *
   * @param jar its name without the version
   */
  protected static void requireClient(String className, String jar) {
    try {
      Class.forName(className, false, SqlDriver.class.getClassLoader());
    } catch (ClassNotFoundException e) {
      throw new ConfigException(
          "target.driver", "needs %s-VERSION.jar in JMeter's folder lib".formatted(jar));
    }
  }

  @Override
  public final Set<String> databases(TargetConfig target) {
    ServerUrl address = address(target.url());
    return address.hosts().databases(address.database());
  }

  @Override
  public final Optional<Hosts> hosts(String url) {
    return Optional.of(address(url).hosts());
  }
}
