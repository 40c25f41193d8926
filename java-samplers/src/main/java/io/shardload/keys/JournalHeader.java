package io.shardload.keys;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The beginning of a journal, which identifies its owner: {@code shardjnl}, version (int), length
 * of the rest in bytes (int), CRC-32C of the rest (int), then the fields of this record in their
 * order with the run in UTF-8 at the end, all big-endian. It is on disk before the first write is
 * sent.
 *
 * @param generator that writes it, from 0
 * @param generators number of generators of the run
 * @param highWater mark at which the run began
 * @param writesPerSecond most writes a second that the generator's schedule asks for, or -1 where
 *     workers go as fast as they can
 * @param workers of the generator
 * @param runId of the run
 */
public record JournalHeader(
    int generator,
    int generators,
    long highWater,
    double writesPerSecond,
    int workers,
    String runId) {
  private static final byte[] MAGIC = "shardjnl".getBytes(StandardCharsets.US_ASCII);
  private static final int VERSION = 2;
  private static final int PREFIX = MAGIC.length + 3 * Integer.BYTES;
  private static final int FIXED = 3 * Integer.BYTES + Long.BYTES + Double.BYTES;
  private static final int LONGEST = 1 << 16;

  /**
   * The header of a journal, or empty if the file ends within it: then its generator has not sent
   * anything yet.
   *
   * @throws UnreadableJournalException the file is not a journal of this version
   */
  public static Optional<JournalHeader> read(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      return read(in, file);
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be read", e);
    }
  }

  static Optional<JournalHeader> read(InputStream in, Path file) throws IOException {
    byte[] prefix = in.readNBytes(PREFIX);
    int magic = Math.min(prefix.length, MAGIC.length);
    if (!Arrays.equals(prefix, 0, magic, MAGIC, 0, magic)) {
      throw new UnreadableJournalException(file + " is not a journal of this version");
    }
    if (prefix.length < PREFIX) {
      return Optional.empty();
    }
    ByteBuffer numbers = ByteBuffer.wrap(prefix).position(MAGIC.length);
    int version = numbers.getInt();
    int length = numbers.getInt();
    int crc = numbers.getInt();
    if (version != VERSION) {
      throw new UnreadableJournalException(
          "%s is a journal of version %d, not %d".formatted(file, version, VERSION));
    }
    if (length < FIXED || length > LONGEST) {
      throw damaged(file);
    }
    byte[] fields = in.readNBytes(length);
    if (fields.length < length) {
      return Optional.empty();
    }
    if (crc(fields) != crc) {
      throw damaged(file);
    }
    return Optional.of(of(ByteBuffer.wrap(fields)));
  }

  private static UnreadableJournalException damaged(Path file) {
    return new UnreadableJournalException(file + " has a damaged header");
  }

  private static JournalHeader of(ByteBuffer fields) {
    return new JournalHeader(
        fields.getInt(),
        fields.getInt(),
        fields.getLong(),
        fields.getDouble(),
        fields.getInt(),
        StandardCharsets.UTF_8.decode(fields).toString());
  }

  ByteBuffer bytes() {
    byte[] run = runId.getBytes(StandardCharsets.UTF_8);
    byte[] fields =
        ByteBuffer.allocate(FIXED + run.length)
            .putInt(generator)
            .putInt(generators)
            .putLong(highWater)
            .putDouble(writesPerSecond)
            .putInt(workers)
            .put(run)
            .array();
    return ByteBuffer.allocate(PREFIX + fields.length)
        .put(MAGIC)
        .putInt(VERSION)
        .putInt(fields.length)
        .putInt(crc(fields))
        .put(fields)
        .flip();
  }

  static int crc(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, bytes.length);
    return (int) crc.getValue();
  }
}
