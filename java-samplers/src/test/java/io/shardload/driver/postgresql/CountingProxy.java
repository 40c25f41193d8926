package io.shardload.driver.postgresql;

import io.shardload.driver.TargetConfig;
import io.shardload.driver.TcpProxy;
import io.shardload.driver.TestDatabases.Database;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Passes connections on to a server and counts the clients' messages by type. */
public final class CountingProxy extends TcpProxy {
  public final Map<Character, Integer> counts;

  public CountingProxy(int serverPort) throws IOException {
    this(serverPort, new ConcurrentHashMap<>());
  }

  private CountingProxy(int serverPort, Map<Character, Integer> counts) throws IOException {
    super(serverPort, () -> new Ways(new Messages(counts), answer -> answer));
    this.counts = counts;
  }

  /** The database through this proxy; {@code ssl} has to be disabled, or nothing can be read. */
  public TargetConfig config(Database database, String options, String schema) {
    return database.through(port(), options, schema);
  }

  /** A piece may end within a message. */
  private static final class Messages implements Way {
    private final Map<Character, Integer> counts;
    private byte[] rest = {};
    // The start-up message has no type.
    private int typeBytes;

    Messages(Map<Character, Integer> counts) {
      this.counts = counts;
    }

    @Override
    public byte[] pass(byte[] piece) {
      ByteBuffer bytes =
          ByteBuffer.allocate(rest.length + piece.length).put(rest).put(piece).flip();
      while (bytes.remaining() >= typeBytes + Integer.BYTES) {
        int length = typeBytes + bytes.getInt(bytes.position() + typeBytes);
        if (bytes.remaining() < length) {
          break;
        }
        if (typeBytes > 0) {
          counts.merge((char) bytes.get(bytes.position()), 1, Integer::sum);
        }
        bytes.position(bytes.position() + length);
        typeBytes = 1;
      }
      rest = new byte[bytes.remaining()];
      bytes.get(rest);
      return piece;
    }
  }
}
