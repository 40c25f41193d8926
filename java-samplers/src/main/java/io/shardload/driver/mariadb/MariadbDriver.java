package io.shardload.driver.mariadb;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.Driver;
import io.shardload.driver.Hosts;
import io.shardload.driver.ServerUrl;
import io.shardload.driver.Session;
import io.shardload.driver.Target;
import io.shardload.driver.TargetConfig;
import io.shardload.driver.jdbc.SqlDriver;
import io.shardload.driver.jdbc.client.ConnectionSettings;
import io.shardload.tls.Mode;
import io.shardload.workload.statements.port.SqlRules;
import io.shardload.workload.statements.port.StatementSystem;
import java.io.IOException;
import java.net.Socket;
import java.util.List;
import java.util.Optional;

/** MariaDB's protocol. */
public final class MariadbDriver extends SqlDriver {
  /** As sessions of this driver cut it: with {@code sql_mode} NO_BACKSLASH_ESCAPES. */
  private static final SqlRules RULES = new SqlRules("'\"`", false, false, true, false, false);

  /** For ServiceLoader. */
  public MariadbDriver() {
    super("mariadb", 3306);
  }

  @Override
  public List<StatementSystem> systems() {
    return List.of(new StatementSystem("mariadb", Optional.empty(), Optional.of(RULES)));
  }

  @Override
  protected void checkOptions(Options options, Optional<Hosts> hosts) {
    var unused = read(options, hosts);
  }

  private static ConnectionSettings read(Options options, Optional<Hosts> hosts) {
    List<Mode> modes = List.of(Mode.DISABLE, Mode.REQUIRE, Mode.VERIFY_CA, Mode.VERIFY_FULL);
    boolean local = hosts.map(Hosts::local).orElse(true);
    ConnectionSettings settings = ConnectionSettings.read(options, local, modes, Mode.DISABLE);
    options.rejectUnknown();
    if (settings.tls().identity().isPresent()) {
      throw new ConfigException(
          options.pathOf("ssl-certificate"), "is not known to driver mariadb: use a password");
    }
    if (settings.balance() == ConnectionSettings.Balance.OTHERS) {
      hosts.ifPresent(all -> ConnectionSettings.requireSeveral(all, "balance: others"));
    }
    return settings;
  }

  @Override
  public String greet(Socket connection) throws IOException {
    byte[] first = connection.getInputStream().readNBytes(5);
    boolean greets = first.length == 5 && (first[4] == 10 || first[4] == -1); // Or has no room.
    return greets ? "" : "something other than MariaDB answers";
  }

  @Override
  public Target open(TargetConfig target, Session session) {
    requireClient("org.mariadb.jdbc.Driver", "mariadb-java-client");
    ServerUrl address = address(target.url());
    ConnectionSettings settings = read(Driver.options(target), Optional.of(address.hosts()));
    MariadbConnections connections = new MariadbConnections(address, target, settings, session);
    connections.probe();
    return new MariadbTarget(connections);
  }
}
