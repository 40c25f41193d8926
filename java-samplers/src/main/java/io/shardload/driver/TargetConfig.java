package io.shardload.driver;

import com.google.gson.JsonObject;
import io.shardload.config.Options;
import io.shardload.config.Secrets;
import java.util.Optional;

/**
 * The section {@code target} of the configuration.
 *
 * @param name name of the target file
 * @param url without user-info; empty for drivers that need none
 * @param passwordEnv name of the environment variable that holds the password, or empty
 * @param options the driver's own keys, unchecked
 */
public record TargetConfig(
    String name,
    String driver,
    String embedded,
    String url,
    String user,
    String passwordEnv,
    JsonObject options) {

  public static TargetConfig read(Options target) {
    JsonObject options = target.subtree("options");
    return new TargetConfig(
        target.text("name", "unnamed"),
        target.requiredText("driver"),
        target.text("embedded", ""),
        target.text("url", ""),
        target.text("user", ""),
        target.text("password-env", ""),
        options);
  }

  /** The secret itself, from the environment; it must go nowhere but into the connection. */
  public Optional<String> password() {
    return passwordEnv.isEmpty()
        ? Optional.empty()
        : Optional.of(Secrets.require("target.password-env", passwordEnv));
  }
}
