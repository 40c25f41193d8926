package io.shardload.driver.postgresql.store;

import io.shardload.workload.documentstore.port.Document;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * Documents in COPY's binary format: a header, then per row the number of fields and per field its
 * length (-1 for NULL) and bytes, all big-endian, then -1.
 */
final class CopyFormat {
  static final String COLUMNS =
      "id, filter1, filter2, filter3, filter4, filter5, document, edition";

  private static final short FIELDS = 8;
  private static final byte[] SIGNATURE =
      "PGCOPY\n\377\r\n\0".getBytes(StandardCharsets.ISO_8859_1);

  /** Signature, flags and length of the header's extension. */
  private static final int HEADER = SIGNATURE.length + 2 * Integer.BYTES;

  private CopyFormat() {}

  /** Rows as one whole COPY stream, in a growing buffer. Not thread-safe. */
  static final class Encoder {
    private ByteBuffer buffer = ByteBuffer.allocate(1 << 16).put(SIGNATURE).putInt(0).putInt(0);

    void add(Document row) {
      need(Short.BYTES + 3 * Integer.BYTES + 2 * Long.BYTES + Long.BYTES + Integer.BYTES);
      buffer.putShort(FIELDS);
      buffer.putInt(2 * Long.BYTES);
      buffer.putLong(row.id().getMostSignificantBits());
      buffer.putLong(row.id().getLeastSignificantBits());
      text(row.filter1());
      text(row.filter2());
      need(Integer.BYTES + Long.BYTES);
      buffer.putInt(Long.BYTES).putLong(row.filter3());
      text(row.filter4());
      text(row.filter5());
      text(row.document());
      need(2 * Integer.BYTES);
      buffer.putInt(Integer.BYTES).putInt(row.edition());
    }

    int bytes() {
      return buffer.position();
    }

    /** Ends the stream and returns it. */
    byte[] finish() {
      need(Short.BYTES);
      buffer.putShort((short) -1).flip();
      byte[] stream = new byte[buffer.remaining()];
      buffer.get(stream);
      return stream;
    }

    private void text(String value) {
      byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
      need(Integer.BYTES + bytes.length);
      buffer.putInt(bytes.length).put(bytes);
    }

    private void need(int more) {
      if (buffer.remaining() < more) {
        int capacity = Math.max(2 * buffer.capacity(), buffer.position() + more);
        int position = buffer.position();
        buffer = ByteBuffer.wrap(Arrays.copyOf(buffer.array(), capacity)).position(position);
      }
    }
  }

  /** Reads the messages of one COPY in turn; the server cuts them between rows. */
  static final class Decoder {
    private boolean headerRead;

    void decode(byte[] message, Consumer<Document> visitor) {
      ByteBuffer in = ByteBuffer.wrap(message);
      if (!headerRead) {
        in.position(HEADER);
        headerRead = true;
      }
      while (in.hasRemaining()) {
        short fields = in.getShort();
        if (fields < 0) {
          return;
        }
        visitor.accept(row(in));
      }
    }

    private static Document row(ByteBuffer in) {
      return new Document(
          uuid(in), text(in), text(in), bigint(in), text(in), text(in), text(in), integer(in));
    }

    private static UUID uuid(ByteBuffer in) {
      return in.getInt() < 0 ? null : new UUID(in.getLong(), in.getLong());
    }

    private static String text(ByteBuffer in) {
      int length = in.getInt();
      if (length < 0) {
        return null;
      }
      byte[] bytes = new byte[length];
      in.get(bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    }

    private static long bigint(ByteBuffer in) {
      return in.getInt() < 0 ? -1 : in.getLong();
    }

    private static int integer(ByteBuffer in) {
      return in.getInt() < 0 ? -1 : in.getInt();
    }
  }
}
