package io.shardload.driver.postgresql.client;

import java.util.Properties;
import org.postgresql.PGProperty;
import org.postgresql.plugin.AuthenticationPlugin;
import org.postgresql.plugin.AuthenticationRequestType;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

/** Refuses to send the password in clear text: an unverified server could steal it. */
public final class NoCleartext implements AuthenticationPlugin {
  /** The start of the refusal message. */
  public static final String REASON = "the server asks for the password in clear text";

  private final String password;

  /** Called by pgjdbc with a connection's properties. */
  public NoCleartext(Properties properties) {
    this.password = PGProperty.PASSWORD.getOrDefault(properties);
  }

  @Override
  public char[] getPassword(AuthenticationRequestType type) throws PSQLException {
    if (type == AuthenticationRequestType.CLEARTEXT_PASSWORD) {
      throw new PSQLException(
          REASON
              + ", which requires 'ssl: verify-full': otherwise shardload does not verify"
              + " which server receives it",
          PSQLState.CONNECTION_REJECTED);
    }
    return password == null ? null : password.toCharArray();
  }
}
