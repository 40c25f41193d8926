package io.shardload.timeseries;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.Base64;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The credentials for a store. Neither {@link #toString} nor a message shows it. */
public final class Credentials {
  /** For a store without authentication. */
  public static final Credentials NONE = new Credentials("", "no credentials");

  private final String authorization;
  private final String description;

  private Credentials(String authorization, String description) {
    this.authorization = authorization;
    this.description = description;
  }

  /**
   * A bearer token.
   *
   * @throws StoreException if it is empty, or not valid in a header
   */
  public static Credentials token(String token) throws StoreException {
    if (token.isEmpty() || !token.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw new StoreException("the token of the store is empty or contains invalid characters");
    }
    return new Credentials("Bearer " + token, "the token");
  }

  /**
   * Basic authentication.
   *
   * @throws StoreException if the name of the user has a colon in it
   */
  public static Credentials basic(String user, String password) throws StoreException {
    if (user.isEmpty() || user.contains(":")) {
      throw new StoreException(
          "the user name \"%s\" of the store is empty or contains a colon".formatted(user));
    }
    String both = Base64.getEncoder().encodeToString((user + ":" + password).getBytes(UTF_8));
    return new Credentials("Basic " + both, "user " + user + " with this password");
  }

  /**
   * Those that a configuration names.
   *
   * @param names {@code token_env}, or {@code user} and {@code password_env}; none for a store
   *     without authentication
   * @param environment values of environment variables, null where there is none
   * @throws StoreException if a variable is not set or is empty
   */
  public static Credentials named(JsonObject names, UnaryOperator<String> environment)
      throws StoreException {
    String token = Json.text(names, "token_env", "");
    if (!token.isEmpty()) {
      return token(secret(token, environment));
    }
    String user = Json.text(names, "user", "");
    return user.isEmpty()
        ? NONE
        : basic(user, secret(Json.text(names, "password_env", ""), environment));
  }

  private static String secret(String variable, UnaryOperator<String> environment)
      throws StoreException {
    String value = environment.apply(variable);
    if (value == null || value.isEmpty()) {
      throw new StoreException("the environment variable %s is not set".formatted(variable));
    }
    return value;
  }

  Optional<String> authorization() {
    return authorization.isEmpty() ? Optional.empty() : Optional.of(authorization);
  }

  @Override
  public String toString() {
    return description;
  }
}
