package io.shardload.bundle.histogram;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.SplittableRandom;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import org.HdrHistogram.DoubleHistogram;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.HdrHistogram.IntCountsHistogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The library writes the payloads and says what is in them. */
class HistogramDecoderTest {
  private final HistogramDecoder decoder = new HistogramDecoder();
  private final HistogramEncoder encoder = new HistogramEncoder();
  private final SplittableRandom random = new SplittableRandom(9);

  @AfterEach
  void close() {
    decoder.close();
    encoder.close();
  }

  private static String encode(EncodableHistogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer, Deflater.DEFAULT_COMPRESSION);
    return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
  }

  private static Histogram byLibrary(String payload) {
    try {
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(payload));
      return Histogram.decodeFromCompressedByteBuffer(bytes, 0);
    } catch (DataFormatException e) {
      throw new AssertionError(e);
    }
  }

  private void assertDecoded(Histogram recorded) {
    String payload = encode(recorded);
    Histogram histogram = byLibrary(payload);
    SlotCounts counts = decoder.decode(payload);
    assertThat(byLibrary(encoder.payload(counts))).isEqualTo(histogram);
    assertThat(counts.total()).isEqualTo(histogram.getTotalCount());
    double sum = histogram.getTotalCount() == 0 ? 0 : histogram.getMean() * counts.total();
    assertThat(counts.sumNanos()).isCloseTo(sum, within(1e-12 * sum));
    HistogramSum decoded = new HistogramSum();
    decoded.add(counts);
    assertSame(decoded, histogram);
  }

  private static void assertSame(HistogramSum sum, Histogram expected) {
    Histogram actual = sum.toHistogram();
    assertThat(actual).isEqualTo(expected);
    assertThat(sum.total()).isEqualTo(expected.getTotalCount());
    assertThat(actual.getTotalCount()).isEqualTo(expected.getTotalCount());
    assertThat(actual.getMaxValue()).isEqualTo(expected.getMaxValue());
    assertThat(actual.getMinNonZeroValue()).isEqualTo(expected.getMinNonZeroValue());
    assertThat(actual.getMean()).isEqualTo(expected.getMean());
    assertThat(actual.getStdDeviation()).isEqualTo(expected.getStdDeviation());
    for (double level : new double[] {0, 1, 50, 90, 99, 99.9, 99.999, 100}) {
      assertThat(actual.getValueAtPercentile(level))
          .isEqualTo(expected.getValueAtPercentile(level));
    }
  }

  private Histogram random() {
    Histogram histogram = Slots.histogram();
    int bits = random.nextInt(1, 37);
    for (int n = random.nextInt(2000); n > 0; n--) {
      long nanos = Math.min(Slots.HIGHEST_NANOS, random.nextLong(1L << bits));
      histogram.recordValueWithCount(nanos, 1 + random.nextLong(1L << random.nextInt(1, 40)));
    }
    return histogram;
  }

  @Test
  void decodesWhatTheLibraryEncodes() {
    for (int i = 0; i < 300; i++) {
      assertDecoded(random());
    }
  }

  @Test
  void decodesTheEdges() {
    HistogramSum nothing = new HistogramSum();
    nothing.add(decoder.decode(encode(Slots.histogram())));
    assertSame(nothing, Slots.histogram());
    Histogram end = Slots.histogram();
    end.recordValueWithCount(Slots.HIGHEST_NANOS, Long.MAX_VALUE);
    assertDecoded(end);
    Histogram last = Slots.histogram();
    last.recordValue(Slots.lowest(Slots.LENGTH - 1));
    assertDecoded(last);
    Histogram every = Slots.histogram();
    for (int slot = 0; slot < Slots.LENGTH; slot++) {
      Histogram single = Slots.histogram();
      single.recordValue(Slots.lowest(slot));
      every.recordValueWithCount(Slots.lowest(slot), 1L << (slot % 40));
      // Before and behind each length of a run of empty slots.
      if (Integer.bitCount(slot) <= 1 || Integer.bitCount(slot + 1) == 1) {
        assertDecoded(single);
      }
    }
    assertDecoded(every);
  }

  @Test
  void addsAsTheLibraryDoes() {
    HistogramSum sum = new HistogramSum();
    Histogram expected = Slots.histogram();
    for (int i = 0; i < 100; i++) {
      String next = encode(random());
      sum.add(decoder.decode(next));
      expected.add(byLibrary(next));
    }
    assertSame(sum, expected);
    sum.reset();
    assertSame(sum, Slots.histogram());
  }

  /** A shorter range has the same slots; a longer one and other digits have not. */
  @Test
  void anotherResolutionIsDamaged() {
    Histogram shorter = new Histogram(64, 1_000_000, 3);
    shorter.recordValueWithCount(900_000, 3);
    assertThat(decoder.decode(encode(shorter)).total()).isEqualTo(3);
    for (Histogram other :
        List.of(
            new Histogram(64, 2 * Slots.HIGHEST_NANOS, 3),
            new Histogram(64, Slots.HIGHEST_NANOS, 2),
            new Histogram(1, Slots.HIGHEST_NANOS, 3))) {
      other.recordValueWithCount(900_000, 3);
      assertThat(decoder.decode(encode(other))).isNull();
    }
  }

  /** The library deflates in another way, so the payload's bytes differ. */
  @Test
  void linesAreTheLibrarysOwn() {
    for (int i = 0; i < 20; i++) {
      Histogram histogram = random();
      histogram.recordValue(100_000);
      histogram.setTag("hold/find/service");
      ByteArrayOutputStream log = new ByteArrayOutputStream();
      new HistogramLogWriter(new PrintStream(log, true, ISO_8859_1))
          .outputIntervalHistogram(59.9996, 61.25, histogram, 1e6);
      String theirs = log.toString(ISO_8859_1);
      SlotCounts counts = decoder.decode(encode(histogram));
      String ours = encoder.line("hold/find/service", 59_999_600_000L, 61_250_000_000L, counts);
      int payload = ours.lastIndexOf(',') + 1;
      assertThat(ours.substring(0, payload)).isEqualTo(theirs.substring(0, payload));
      assertThat(byLibrary(ours.substring(payload).strip()))
          .isEqualTo(byLibrary(theirs.substring(payload).strip()));
      assertThat(ours).endsWith("\n");
    }
  }

  @Test
  void countsOfEveryWordSizeAreRead() {
    IntCountsHistogram ints = new IntCountsHistogram(64, Slots.HIGHEST_NANOS, 3);
    ints.recordValueWithCount(5_000_000, 12);
    HistogramSum sum = new HistogramSum();
    sum.add(decoder.decode(encode(ints)));
    assertThat(sum.toHistogram().getCountAtValue(5_000_000)).isEqualTo(12);
  }

  /** Whatever one byte turns into: it is damaged, or nothing is different. */
  @Test
  void oneWrongByteIsNeverBelieved() {
    Histogram histogram = random();
    byte[] payload = encode(histogram).getBytes(ISO_8859_1);
    for (int at = 0; at < payload.length; at++) {
      byte before = payload[at];
      payload[at] = (byte) (before == 'A' ? 'B' : 'A');
      SlotCounts counts = decoder.decode(new String(payload, ISO_8859_1));
      payload[at] = before;
      if (counts != null) {
        assertThat(counts.total()).isEqualTo(histogram.getTotalCount());
      }
    }
    assertDecoded(histogram);
  }

  @Test
  void tornPayloadsAreDamaged() {
    String payload = encode(random()).replace("=", "");
    for (int length = 0; length < payload.length(); length++) {
      assertThat(decoder.decode(payload.substring(0, length))).isNull();
    }
    DoubleHistogram noCounts = new DoubleHistogram(3);
    noCounts.recordValue(1);
    assertThat(decoder.decode(encode(noCounts))).isNull();
    assertThat(decoder.decode("no base64!")).isNull();
  }

  /** Well deflated, but not the counts of any histogram. */
  @Test
  void countsThatFitNoHistogramAreDamaged() {
    assertThat(decode(numbers((byte) 2, (byte) 4))).isEqualTo(3);
    // A number that goes on beyond the end.
    assertThat(decode(numbers((byte) 2, (byte) 0x80))).isNull();
    // More bytes than there are.
    ByteBuffer tooLong = numbers((byte) 2, (byte) 2).putInt(4, 3);
    assertThat(decode(tooLong)).isNull();
    // A value behind 2^31 - 1 empty slots, and behind more than that.
    byte[] behind = {-1, -1, -1, -1, 0x0f, 2};
    assertThat(decode(numbers(behind))).isNull();
    byte[] farBehind = {-1, -1, -1, -1, -1, -1, -1, -1, -1, 2};
    assertThat(decode(numbers(farBehind))).isNull();
  }

  private static ByteBuffer numbers(byte... numbers) {
    ByteBuffer plain = ByteBuffer.allocate(40 + numbers.length);
    plain.putInt(0x1c849313).putInt(numbers.length).putInt(0).putInt(3);
    plain.putLong(64).putLong(Slots.HIGHEST_NANOS).putDouble(1).put(numbers);
    return plain;
  }

  private Long decode(ByteBuffer numbers) {
    byte[] plain = new byte[numbers.capacity()];
    numbers.rewind().get(plain);
    Deflater deflater = new Deflater();
    deflater.setInput(plain);
    deflater.finish();
    byte[] deflated = new byte[1000];
    int length = deflater.deflate(deflated);
    deflater.end();
    ByteBuffer whole = ByteBuffer.allocate(8 + length);
    whole.putInt(0x1c849314).putInt(length).put(deflated, 0, length);
    SlotCounts counts = decoder.decode(Base64.getEncoder().encodeToString(whole.array()));
    return counts == null ? null : counts.total();
  }
}
