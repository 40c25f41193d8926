package io.shardload.remote.wire;

import io.shardload.bundle.histogram.VarintWriter;

/**
 * Messages as bytes: version, kind and generator, then the fields of the record in their order,
 * with the histograms last. JSON is text, texts and bytes have their length before them, numbers
 * and histograms are as {@link VarintWriter} writes them.
 */
public final class WireEncoder {
  static final int VERSION = 1;
  static final int HELLO = 1;
  static final int SECOND = 2;
  static final int BEAT = 3;
  static final int SEGMENTS = 4;
  static final int FINAL = 5;
  static final int TROUBLE = 6;

  private WireEncoder() {}

  public static byte[] encode(Message message) {
    if (message instanceof Message.Hello hello) {
      VarintWriter out = begin(HELLO, message, 1024);
      out.text(hello.facts().toString());
      return out.toBytes();
    }
    if (message instanceof Message.Second second) {
      return encode(second);
    }
    if (message instanceof Message.Beat beat) {
      VarintWriter out = begin(BEAT, message, 16);
      out.number(beat.nowNanos());
      return out.toBytes();
    }
    if (message instanceof Message.Segments segments) {
      VarintWriter out = begin(SEGMENTS, message, segments.bytes().length + 32);
      out.number(segments.offset());
      out.bytes(segments.bytes());
      return out.toBytes();
    }
    if (message instanceof Message.Final last) {
      VarintWriter out = begin(FINAL, message, 4096);
      out.text(last.line().toString());
      out.number(last.segmentsBytes());
      out.number(last.journalBytes());
      return out.toBytes();
    }
    Message.Trouble trouble = (Message.Trouble) message;
    VarintWriter out = begin(TROUBLE, message, 256);
    out.text(trouble.key());
    out.text(trouble.message());
    out.number(trouble.exit());
    return out.toBytes();
  }

  private static byte[] encode(Message.Second second) {
    VarintWriter out = begin(SECOND, second, second.journal().length + (1 << 15));
    out.text(second.line().toString());
    out.number(second.journalOffset());
    out.bytes(second.journal());
    out.number(second.histograms().size());
    for (Message.Histogram histogram : second.histograms()) {
      out.text(histogram.tag());
      out.counts(histogram.counts());
    }
    return out.toBytes();
  }

  private static VarintWriter begin(int kind, Message message, int expectedBytes) {
    VarintWriter out = new VarintWriter(expectedBytes);
    out.number(VERSION);
    out.number(kind);
    out.number(message.generator());
    return out;
  }
}
