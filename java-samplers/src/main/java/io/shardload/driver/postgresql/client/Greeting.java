package io.shardload.driver.postgresql.client;

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;

/** The question whether a server encrypts: every PostgreSQL and pgbouncer answers S or N. */
public final class Greeting {
  private static final int SSL_REQUEST = 80877103;

  private Greeting() {}

  /** Returns why the peer is not PostgreSQL; empty if it is. */
  public static String send(Socket connection) throws IOException {
    ByteBuffer request = ByteBuffer.allocate(8).putInt(8).putInt(SSL_REQUEST);
    connection.getOutputStream().write(request.array());
    int answer = connection.getInputStream().read();
    return answer == 'S' || answer == 'N' ? "" : "something other than PostgreSQL answers";
  }
}
