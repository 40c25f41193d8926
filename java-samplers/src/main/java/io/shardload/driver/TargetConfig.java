package io.shardload.driver;

import com.google.gson.JsonObject;
import io.shardload.bundle.Durability;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.config.Secrets;
import io.shardload.workload.CallFailure;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The sections {@code target} and {@code schema} of the configuration.
 *
 * @param name name of the target file
 * @param url without user-info; empty for drivers that need none
 * @param passwordEnv name of the environment variable that holds the password, or empty
 * @param options the driver's own keys, unchecked
 * @param schema the driver's own keys of the section {@code schema}, unchecked
 * @param durability the word of the level that the servers must have, or empty
 */
public record TargetConfig(
    String name,
    String driver,
    String embedded,
    String url,
    String user,
    String passwordEnv,
    JsonObject options,
    JsonObject schema,
    String durability) {
  private static final List<String> DURABILITIES =
      Stream.concat(
              Stream.of(""),
              Stream.of(Durability.Level.values())
                  .filter(level -> level != Durability.Level.UNKNOWN)
                  .map(Durability.Level::word))
          .toList();

  /** Without options of the schema. */
  public TargetConfig(
      String name,
      String driver,
      String embedded,
      String url,
      String user,
      String passwordEnv,
      JsonObject options) {
    this(name, driver, embedded, url, user, passwordEnv, options, new JsonObject(), "");
  }

  /**
   * Reads the sections {@code target} and {@code schema}.
   *
   * @param schema how tables and indexes are made: the driver's own keys
   */
  public static TargetConfig read(Options target, JsonObject schema) {
    JsonObject options = target.subtree("options");
    return new TargetConfig(
        target.text("name", "unnamed"),
        target.requiredText("driver"),
        target.text("embedded", ""),
        target.text("url", ""),
        target.text("user", ""),
        target.text("password-env", ""),
        options,
        schema,
        target.choice("durability", "", DURABILITIES));
  }

  /**
   * Compares what the file says with what the servers say.
   *
   * @throws ConfigException they differ
   */
  public void checkDurability(Target target) throws CallFailure {
    if (!durability.isEmpty()) {
      Durability found = target.durability();
      if (!found.level().word().equals(durability)) {
        throw new ConfigException(
            "target.durability",
            "'%s' was asked for; the servers have %s".formatted(durability, found));
      }
    }
  }

  /** The secret itself, from the environment; it may be used only for the connection. */
  public Optional<String> password() {
    return passwordEnv.isEmpty()
        ? Optional.empty()
        : Optional.of(Secrets.require("target.password-env", passwordEnv));
  }
}
