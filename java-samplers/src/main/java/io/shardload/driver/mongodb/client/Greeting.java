package io.shardload.driver.mongodb.client;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.bson.RawBsonDocument;

/**
 * The greeting of MongoDB's drivers, as one message. A server that requires TLS closes the
 * connection.
 */
public final class Greeting {
  private static final int OP_MSG = 2013;
  private static final int HEADER_BYTES = 16;
  private static final int FLAGS_AND_KIND_BYTES = 5;
  private static final int OPERATION_AT = 12;

  private Greeting() {}

  /** Returns why the peer is not MongoDB; empty if it is. */
  public static String send(Socket connection) throws IOException {
    connection.getOutputStream().write(message());
    byte[] head;
    try {
      head = connection.getInputStream().readNBytes(HEADER_BYTES);
    } catch (SocketException e) {
      head = new byte[0];
    }
    if (head.length == 0) {
      return "closes the connection (it may require TLS)";
    }
    return head.length == HEADER_BYTES && little(head).getInt(OPERATION_AT) == OP_MSG
        ? ""
        : "something other than MongoDB answers";
  }

  private static byte[] message() {
    ByteBuffer hello =
        RawBsonDocument.parse("{'isMaster': 1, '$db': 'admin'}").getByteBuffer().asNIO();
    int length = HEADER_BYTES + FLAGS_AND_KIND_BYTES + hello.remaining();
    byte[] bytes = new byte[length];
    ByteBuffer message = little(bytes);
    message.putInt(length).putInt(1).putInt(0).putInt(OP_MSG);
    message.putInt(0).put((byte) 0).put(hello);
    return bytes;
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
