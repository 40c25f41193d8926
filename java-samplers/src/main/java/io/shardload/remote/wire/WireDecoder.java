package io.shardload.remote.wire;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.shardload.bundle.histogram.VarintReader;
import java.util.ArrayList;
import java.util.List;

/** Reads what {@link WireEncoder} wrote. */
public final class WireDecoder {
  /** Highest number of a generator. */
  static final int MOST_GENERATORS = 1_000_000;

  private WireDecoder() {}

  /**
   * Reads a message.
   *
   * @throws WireException it is damaged, or of another version
   */
  public static Message decode(byte[] bytes) {
    try {
      VarintReader in = new VarintReader(bytes);
      int kind = kind(in);
      Message message = read(kind, in.number(MOST_GENERATORS), in);
      if (!in.atEnd()) {
        throw new WireException("a message is longer than its content");
      }
      return message;
    } catch (VarintReader.DamagedException e) {
      throw new WireException("a message is damaged: " + e.getMessage());
    }
  }

  /** Reads the version and the kind. */
  static int kind(VarintReader in) {
    long version = in.number();
    if (version != WireEncoder.VERSION) {
      throw new WireException(
          "a message has version %d, not %d".formatted(version, WireEncoder.VERSION));
    }
    return in.number(Byte.MAX_VALUE);
  }

  private static Message read(int kind, int generator, VarintReader in) {
    return switch (kind) {
      case WireEncoder.HELLO -> new Message.Hello(generator, json(in));
      case WireEncoder.SECOND -> second(generator, in);
      case WireEncoder.BEAT -> new Message.Beat(generator, in.number());
      case WireEncoder.SEGMENTS -> new Message.Segments(generator, in.number(), in.bytes());
      case WireEncoder.FINAL -> new Message.Final(generator, json(in), in.number(), in.number());
      case WireEncoder.TROUBLE ->
          new Message.Trouble(generator, in.text(), in.text(), in.number(Byte.MAX_VALUE));
      default -> throw new WireException("a message has the unknown kind " + kind);
    };
  }

  private static Message.Second second(int generator, VarintReader in) {
    JsonObject line = json(in);
    long journalOffset = in.number();
    byte[] journal = in.bytes();
    return new Message.Second(generator, line, histograms(in), journalOffset, journal);
  }

  private static List<Message.Histogram> histograms(VarintReader in) {
    long size = in.number();
    List<Message.Histogram> histograms = new ArrayList<>();
    for (long i = 0; i < size; i++) {
      histograms.add(new Message.Histogram(in.text(), in.counts()));
    }
    return histograms;
  }

  /** Reads a JSON object. */
  static JsonObject json(VarintReader in) {
    try {
      JsonElement json = JsonParser.parseString(in.text());
      if (json.isJsonObject()) {
        return json.getAsJsonObject();
      }
    } catch (JsonParseException notJson) {
      // Reported below with the same message as JSON that is not an object.
    }
    throw new WireException("a message contains no readable JSON object");
  }
}
