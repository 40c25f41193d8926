package io.shardload.remote.engine;

import java.net.Socket;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trusts a server that holds one known key, under any name, and otherwise a server whose
 * certificate a trusted authority signed. Such a certificate must have the host's name if the
 * connection requires it.
 */
final class KnownKeyTrust extends X509ExtendedTrustManager {
  private final Certificate known;
  private final X509ExtendedTrustManager authorities;

  KnownKeyTrust(Certificate known, X509ExtendedTrustManager authorities) {
    this.known = known;
    this.authorities = authorities;
  }

  private boolean knows(X509Certificate[] chain) {
    return chain.length > 0 && chain[0].equals(known);
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
    if (!knows(chain)) {
      authorities.checkServerTrusted(chain, type);
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    if (!knows(chain)) {
      authorities.checkServerTrusted(chain, type, socket);
    }
  }

  @Override
  public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    if (!knows(chain)) {
      authorities.checkServerTrusted(chain, type, engine);
    }
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
    authorities.checkClientTrusted(chain, type);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
      throws CertificateException {
    authorities.checkClientTrusted(chain, type, socket);
  }

  @Override
  public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
      throws CertificateException {
    authorities.checkClientTrusted(chain, type, engine);
  }

  @Override
  public X509Certificate[] getAcceptedIssuers() {
    return authorities.getAcceptedIssuers();
  }
}
