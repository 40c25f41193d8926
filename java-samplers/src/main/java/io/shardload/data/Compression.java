package io.shardload.data;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.Deflater;

/** Measures how well generated text compresses. */
public final class Compression {
  private Compression() {}

  /** The mean of size over deflated size (level 6) of the texts, each compressed separately. */
  public static double deflateRatio(List<String> texts) {
    return texts.stream().mapToDouble(Compression::ratio).average().orElse(1);
  }

  private static double ratio(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Deflater deflater = new Deflater(6);
    deflater.setInput(bytes);
    deflater.finish();
    int deflated = deflater.deflate(new byte[bytes.length + 64]);
    deflater.end();
    return (double) bytes.length / deflated;
  }
}
