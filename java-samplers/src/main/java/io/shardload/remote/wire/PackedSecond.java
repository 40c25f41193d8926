package io.shardload.remote.wire;

import com.google.gson.JsonObject;
import io.shardload.bundle.histogram.HistogramSum;
import io.shardload.bundle.histogram.VarintReader;
import java.util.function.Function;

/**
 * A {@link Message.Second} whose histograms are not decoded, but can be added to sums straight from
 * their bytes. Not thread-safe.
 */
public final class PackedSecond {
  private final int generator;
  private final JsonObject line;
  private final long journalOffset;
  private final byte[] journal;
  private final VarintReader histograms;

  private PackedSecond(int generator, VarintReader in) {
    this.generator = generator;
    this.line = WireDecoder.json(in);
    this.journalOffset = in.number();
    this.journal = in.bytes();
    this.histograms = in;
  }

  /**
   * Reads a message up to its histograms; null if it is of another kind.
   *
   * @throws WireException it is damaged, or of another version
   */
  public static PackedSecond read(byte[] bytes) {
    try {
      VarintReader in = new VarintReader(bytes);
      boolean second = WireDecoder.kind(in) == WireEncoder.SECOND;
      return second ? new PackedSecond(in.number(WireDecoder.MOST_GENERATORS), in) : null;
    } catch (VarintReader.DamagedException e) {
      throw damaged(e);
    }
  }

  private static WireException damaged(VarintReader.DamagedException e) {
    return new WireException("a message is damaged: " + e.getMessage());
  }

  public int generator() {
    return generator;
  }

  public JsonObject line() {
    return line;
  }

  public long journalOffset() {
    return journalOffset;
  }

  public byte[] journal() {
    return journal;
  }

  /**
   * Adds each histogram to a sum.
   *
   * @param sums by tag; null for those that are not wanted
   * @throws WireException the rest of the message is damaged; what came before it is added
   */
  public void addTo(Function<String, HistogramSum> sums) {
    VarintReader in = histograms.fork();
    try {
      long size = in.number();
      for (long i = 0; i < size; i++) {
        HistogramSum sum = sums.apply(in.text());
        if (sum == null) {
          in.skipCounts();
        } else {
          sum.add(in);
        }
      }
    } catch (VarintReader.DamagedException e) {
      throw damaged(e);
    }
    if (!in.atEnd()) {
      throw new WireException("a message is longer than its content");
    }
  }
}
