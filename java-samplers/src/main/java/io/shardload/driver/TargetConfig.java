package io.shardload.driver;

import com.google.gson.JsonObject;
import io.shardload.config.Options;
import io.shardload.config.Secrets;
import java.util.Optional;

/**
 * The sections {@code target} and {@code schema} of the configuration.
 *
 * @param name name of the target file
 * @param url without user-info; empty for drivers that need none
 * @param passwordEnv name of the environment variable that holds the password, or empty
 * @param options the driver's own keys, unchecked
 * @param schema the driver's own keys of the section {@code schema}, unchecked
 */
public record TargetConfig(
    String name,
    String driver,
    String embedded,
    String url,
    String user,
    String passwordEnv,
    JsonObject options,
    JsonObject schema) {

  /** Without options of the schema. */
  public TargetConfig(
      String name,
      String driver,
      String embedded,
      String url,
      String user,
      String passwordEnv,
      JsonObject options) {
    this(name, driver, embedded, url, user, passwordEnv, options, new JsonObject());
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
        schema);
  }

  /** The secret itself, from the environment; it may be used only for the connection. */
  public Optional<String> password() {
    return passwordEnv.isEmpty()
        ? Optional.empty()
        : Optional.of(Secrets.require("target.password-env", passwordEnv));
  }
}
