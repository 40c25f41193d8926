package io.shardload.remote.wire;

import com.google.gson.JsonObject;
import io.shardload.bundle.histogram.SlotCounts;
import java.util.List;

/**
 * What a generator sends. A generator sends its messages in order; one whose arrival is not known
 * is sent again, so the controller ignores what it has already: lines by their {@code seq}, bytes
 * by their offset.
 */
@SuppressWarnings("ArrayRecordComponent") // Nobody compares messages.
public sealed interface Message {
  /** Number of the generator. */
  int generator();

  /**
   * A generator is ready.
   *
   * @param facts {@link HelloFacts} names them
   */
  record Hello(int generator, JsonObject facts) implements Message {}

  /** What one series recorded in an interval; the tag is segment/transaction/series. */
  record Histogram(String tag, SlotCounts counts) {}

  /**
   * An interval of about a second.
   *
   * @param line the ledger line with its segments, without {@code hlog_bytes}
   * @param journalOffset where in the journal the bytes belong
   * @param journal the new bytes of the journal; may be empty
   */
  record Second(
      int generator,
      JsonObject line,
      List<Histogram> histograms,
      long journalOffset,
      byte[] journal)
      implements Message {}

  /** The generator is alive and has nothing else to report. */
  record Beat(int generator, long nowNanos) implements Message {}

  /** A piece of the file of histograms by segment, of at most {@link Timing#PIECE_BYTES}. */
  record Segments(int generator, long offset, byte[] bytes) implements Message {}

  /**
   * The last message.
   *
   * @param line the final ledger line, without {@code hlog_bytes}
   * @param segmentsBytes length of the file of histograms by segment
   * @param journalBytes length of the journal
   */
  record Final(int generator, JsonObject line, long segmentsBytes, long journalBytes)
      implements Message {}

  /**
   * The generator cannot start or continue.
   *
   * @param key of the configuration that is to blame, or empty
   * @param exit 1: wrong configuration, missing secret, versions; 2: target or disk failed
   */
  record Trouble(int generator, String key, String message, int exit) implements Message {}
}
