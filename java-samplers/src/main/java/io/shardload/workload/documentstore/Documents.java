package io.shardload.workload.documentstore;

import static io.shardload.data.Bits.bounded;
import static io.shardload.data.Bits.hash;

import io.shardload.data.Bits;
import io.shardload.data.Text;
import io.shardload.workload.documentstore.port.Change;
import io.shardload.workload.documentstore.port.Column;
import io.shardload.workload.documentstore.port.Document;
import io.shardload.workload.documentstore.port.Key;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * The content of the data set as pure functions: id, filter1 and document of (seed, ordinal);
 * filter2 to filter5 of (seed, ordinal, edition). Immutable and thread-safe.
 *
 * <p>The values of filter2, filter4 and filter5 differ between tenants, so an index on only one of
 * these columns finds no more rows than the same find with id.
 */
public final class Documents {
  /** Upper bound of filter3. */
  static final long FILTER3_BOUND = 1L << 40;

  private static final int[] VARIABLE_BYTES = {2 << 10, 4 << 10, 8 << 10, 16 << 10};

  // One number per kind of value keeps their hashes apart; filters have their own numbers.
  private static final int ID = 1;
  private static final int SIZE = 6;
  private static final int TEXT = 7;

  private final Shape shape;
  private final long permutation;
  private final Text text;

  Documents(Shape shape) {
    this.shape = shape;
    this.permutation = hash(shape.seed(), 0);
    this.text = new Text(shape.compressibility());
  }

  public Document at(long ordinal, int edition) {
    return new Document(
        id(ordinal),
        filter1(ordinal),
        text(Column.FILTER2, ordinal, edition),
        filter3(ordinal, edition),
        text(Column.FILTER4, ordinal, edition),
        text(Column.FILTER5, ordinal, edition),
        document(ordinal),
        edition);
  }

  Key key(long ordinal) {
    return new Key(id(ordinal), filter1(ordinal));
  }

  Change change(long ordinal, int edition) {
    return new Change(
        text(Column.FILTER2, ordinal, edition),
        filter3(ordinal, edition),
        text(Column.FILTER4, ordinal, edition),
        text(Column.FILTER5, ordinal, edition),
        edition);
  }

  long tenant(long ordinal) {
    return ordinal % shape.tenants();
  }

  UUID id(long ordinal) {
    long high = hash(shape.seed(), ID, tenant(ordinal));
    long low = Bits.mix(high);
    return new UUID((high & ~0xF000L) | 0x4000L, (low & ~(3L << 62)) | (2L << 62));
  }

  /** 16 hexadecimal digits: a seeded bijection of the ordinal. */
  String filter1(long ordinal) {
    return hex(Bits.mix(ordinal ^ permutation));
  }

  /** The ordinal of a filter1, or -1 if it belongs to no ordinal. */
  long ordinalOf(String filter1) {
    if (filter1 == null || filter1.length() != 16) {
      return -1;
    }
    try {
      long ordinal = Bits.unmix(Long.parseUnsignedLong(filter1, 16)) ^ permutation;
      return ordinal >= 0 && filter1(ordinal).equals(filter1) ? ordinal : -1;
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  long filter3(long ordinal, int edition) {
    return bounded(hash(shape.seed(), Column.FILTER3.number(), ordinal, edition), FILTER3_BOUND);
  }

  /** filter2, filter4 or filter5. */
  String text(Column column, long ordinal, int edition) {
    return drawn(column, ordinal, hash(shape.seed(), column.number(), ordinal, edition));
  }

  /** A value of filter2, filter4 or filter5 that documents of the tenant can have. */
  String drawn(Column column, long ordinal, long draw) {
    long values = column == Column.FILTER5 ? shape.valuesOfSingles() : shape.valuesOfPairs();
    return hex(hash(shape.seed() ^ column.number(), tenant(ordinal), bounded(draw, values)));
  }

  /** As {@link Document#value}. */
  Object value(Column column, long ordinal, int edition) {
    return switch (column) {
      case FILTER1 -> filter1(ordinal);
      case FILTER3 -> filter3(ordinal, edition);
      case FILTER2, FILTER4, FILTER5 -> text(column, ordinal, edition);
    };
  }

  String document(long ordinal) {
    int bytes = shape.documentBytes();
    if (bytes == 0) {
      long choice = bounded(hash(shape.seed(), SIZE, ordinal), VARIABLE_BYTES.length);
      bytes = VARIABLE_BYTES[(int) choice];
    }
    return text.make(hash(shape.seed(), TEXT, ordinal), bytes);
  }

  /** Mean size of a document; variable sizes are drawn with equal probability. */
  long meanBytes() {
    int bytes = shape.documentBytes();
    return bytes == 0 ? IntStream.of(VARIABLE_BYTES).sum() / VARIABLE_BYTES.length : bytes;
  }

  /** Size of the largest possible document. */
  int largestBytes() {
    int bytes = shape.documentBytes();
    return bytes == 0 ? VARIABLE_BYTES[VARIABLE_BYTES.length - 1] : bytes;
  }

  private static String hex(long word) {
    byte[] digits = new byte[16];
    for (int i = 0; i < 16; i++) {
      int digit = (int) (word >>> (60 - 4 * i)) & 15;
      digits[i] = (byte) (digit < 10 ? '0' + digit : 'a' - 10 + digit);
    }
    return new String(digits, java.nio.charset.StandardCharsets.ISO_8859_1);
  }
}
