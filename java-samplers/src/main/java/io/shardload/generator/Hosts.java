package io.shardload.generator;

import io.shardload.config.Options;
import java.nio.file.Path;
import java.util.List;

/**
 * Section {@code hosts} of the configuration: the load hosts of a run and how its generators meet.
 *
 * @param list {@code host:port} of each generator's engine, by its number
 * @param controllerAddress on which the controller's own Redis listens
 * @param controllerPort of the controller's own Redis; 0 stands for any free one
 * @param keyStore relative to the working directory
 * @param redisUrl where the generators meet; empty until the controller knows it
 * @param nonce in the keys of Redis; empty until the controller has chosen it
 * @param redisPasswordEnv environment variable with the password; empty if the target names none
 * @param stopOnLoss whether the run stops when a generator is lost
 */
public record Hosts(
    List<String> list,
    String controllerAddress,
    int controllerPort,
    Path keyStore,
    String redisUrl,
    String nonce,
    String redisPasswordEnv,
    boolean stopOnLoss) {
  private static final String DEFAULT_KEY_STORE = ".shardload/keys/rmi_keystore.jks";
  private static final int HIGHEST_PORT = 65535;
  private static final String STOP = "stop";
  private static final String CONTINUE = "continue";

  public Hosts {
    list = List.copyOf(list);
  }

  /** Reads the section; unknown keys are refused. */
  public static Hosts read(Options hosts) {
    Hosts read =
        new Hosts(
            hosts.texts("list"),
            hosts.text("controller_address", ""),
            (int) hosts.integer("controller_port", 0, 0, HIGHEST_PORT),
            Path.of(hosts.text("key_store", DEFAULT_KEY_STORE)),
            hosts.text("redis_url", ""),
            hosts.text("nonce", ""),
            hosts.text("redis_password_env", ""),
            hosts.choice("on_generator_loss", STOP, List.of(STOP, CONTINUE)).equals(STOP));
    hosts.rejectUnknown();
    return read;
  }
}
