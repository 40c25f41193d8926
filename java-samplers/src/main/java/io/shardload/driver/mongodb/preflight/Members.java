package io.shardload.driver.mongodb.preflight;

import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.connection.ServerDescription;
import io.shardload.config.ConfigException;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Encryption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The members that a set names: the driver connects to these, not to the hosts of the URL. */
record Members(Connections connections) {
  /**
   * Refuses members on other machines where the options leave connections unencrypted.
   *
   * @param client of the host alone, which has answered
   */
  void refuseRemote(String host, MongoClient client) {
    Encryption encryption = connections.settings().encryption();
    Set<String> remote = new TreeSet<>();
    for (ServerDescription server : client.getClusterDescription().getServerDescriptions()) {
      for (Set<String> named :
          List.of(server.getHosts(), server.getPassives(), server.getArbiters())) {
        named.stream()
            .filter(member -> !encryption.allows(new ServerAddress(member).getHost()))
            .forEach(remote::add);
      }
    }
    if (!remote.isEmpty()) {
      throw new ConfigException(
          "target.options.ssl",
          "%s names members that are not on this machine: %s; set 'ssl: verify-full'%s"
              .formatted(
                  host,
                  String.join(", ", remote),
                  encryption.plain()
                      ? ", because PLAIN sends the password in clear text"
                      : ", or 'ssl: disable', which sends everything in the clear"));
    }
  }
}
