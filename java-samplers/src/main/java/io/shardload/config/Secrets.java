package io.shardload.config;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Secrets by the names of the environment variables that hold them. A server that this process has
 * started itself adds the password that it made up; nothing here is ever printed or written.
 */
public final class Secrets {
  private static final Map<String, String> MADE_HERE = new ConcurrentHashMap<>();

  private Secrets() {}

  /** Adds a secret that no environment variable of this process holds. */
  public static void provide(String name, String value) {
    MADE_HERE.put(name, value);
  }

  /**
   * The value of an environment variable.
   *
   * @param key of the configuration that names the variable
   * @throws ConfigException if it is not set
   */
  public static String require(String key, String name) {
    String value = MADE_HERE.getOrDefault(name, System.getenv(name));
    if (value == null) {
      // A key's password cannot be left out.
      String cure =
          key.endsWith(".password-env") ? " (without a password: -o %s=)".formatted(key) : "";
      throw new ConfigException(key, "environment variable %s is not set%s".formatted(name, cure));
    }
    return value;
  }
}
