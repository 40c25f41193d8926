package io.shardload.driver.postgresql.client;

import io.shardload.tls.ClientCertificate;
import io.shardload.tls.Contexts;
import io.shardload.tls.Mode;
import io.shardload.tls.Tls;
import java.util.Optional;
import java.util.Properties;
import org.postgresql.PGProperty;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.ssl.WrappedFactory;

/**
 * Encrypted sockets from PEM files. pgjdbc's own factory reads keys in DER alone, has files of its
 * own in the home directory, and takes a key's password as a property, which a log may show.
 */
public final class TlsSockets extends WrappedFactory {
  /** Called by pgjdbc with a connection's properties. */
  public TlsSockets(Properties properties) {
    String certificate = text(PGProperty.SSL_CERT, properties);
    Tls tls =
        new Tls(
            Optional.empty(),
            Mode.DISABLE,
            text(PGProperty.SSL_ROOT_CERT, properties),
            certificate.isEmpty()
                ? Optional.empty()
                : Optional.of(
                    new ClientCertificate(
                        certificate,
                        text(PGProperty.SSL_KEY, properties),
                        text(PGProperty.SSL_FACTORY_ARG, properties))));
    factory = Contexts.of(Mode.of(text(PGProperty.SSL_MODE, properties)), tls).getSocketFactory();
  }

  private static String text(PGProperty property, Properties properties) {
    String value = property.getOrDefault(properties);
    return value == null ? "" : value;
  }

  /**
   * Has a source make its sockets here.
   *
   * @throws io.shardload.config.ConfigException a file cannot be read
   */
  public static void use(PGSimpleDataSource source, Mode mode, Tls tls) {
    source.setSslMode(mode.word());
    if (mode == Mode.DISABLE) {
      return;
    }
    var unused = Contexts.of(mode, tls);
    source.setSslfactory(TlsSockets.class.getName());
    if (!tls.rootCertificate().isEmpty()) {
      source.setSslRootCert(tls.rootCertificate());
    }
    tls.identity()
        .ifPresent(
            identity -> {
              source.setSslCert(identity.certificate());
              source.setSslKey(identity.key());
              source.setSslFactoryArg(identity.keyPasswordEnv());
            });
  }
}
