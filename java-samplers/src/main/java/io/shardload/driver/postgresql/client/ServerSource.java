package io.shardload.driver.postgresql.client;

import io.shardload.driver.Hosts;
import io.shardload.driver.Hosts.Host;
import io.shardload.driver.jdbc.client.ConnectionSettings;
import io.shardload.tls.Mode;
import java.time.Duration;
import java.util.Optional;
import org.postgresql.ds.PGSimpleDataSource;

/** Makes sources of connections: the common settings of all connections of a target. */
public record ServerSource(
    String database, String user, Optional<String> password, Settings settings) {

  /**
   * A source to the first of the hosts that answers; the caller may set more.
   *
   * @param connectTimeout for each host: one that is switched off is passed over
   */
  public PGSimpleDataSource source(Hosts hosts, String applicationName, Duration connectTimeout) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setServerNames(hosts.all().stream().map(Host::name).toArray(String[]::new));
    source.setPortNumbers(hosts.all().stream().mapToInt(Host::port).toArray());
    source.setDatabaseName(database);
    source.setUser(user);
    password.ifPresent(source::setPassword);
    source.setApplicationName(applicationName);
    // Names the application at login: a SET afterwards is a round trip more, and behind a pgbouncer
    // it does not follow the client reliably.
    source.setAssumeMinServerVersion("9.0");
    int connectSeconds = ConnectionSettings.ceilSeconds(connectTimeout);
    source.setConnectTimeout(connectSeconds);
    source.setLoginTimeout(connectSeconds * hosts.size());
    source.setTcpKeepAlive(settings.shared().tcpKeepalive());
    Mode mode = settings.shared().tls().mode(hosts.local());
    TlsSockets.use(source, mode, settings.shared().tls());
    if (!hosts.local() && !mode.verifies()) {
      source.setAuthenticationPluginClassName(NoCleartext.class.getName());
    }
    return source;
  }
}
