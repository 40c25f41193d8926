package io.shardload.bundle;

import io.shardload.bundle.histogram.HistogramEncoder;
import io.shardload.bundle.histogram.SlotCounts;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.HistogramLogWriter;

/**
 * The interval histograms of one generator added up: one line for each series of each segment that
 * was reached, from the segment's beginning to its end. So its size does not depend on the run's
 * length.
 */
public final class SegmentHistograms {
  private SegmentHistograms() {}

  /**
   * Writes them to a file, which must not exist.
   *
   * @param generator that has written its final line
   * @throws IOException a histogram cannot be read, or the file cannot be written
   */
  public static void write(GeneratorLog generator, Path into) throws IOException {
    Map<String, SlotCounts> sums = sums(generator);
    try (PrintStream out =
            new PrintStream(
                new BufferedOutputStream(
                    Files.newOutputStream(
                        into, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)),
                false,
                StandardCharsets.US_ASCII);
        HistogramEncoder encoder = new HistogramEncoder()) {
      HistogramLogWriter head = new HistogramLogWriter(out);
      head.outputLogFormatVersion();
      head.outputStartTime(generator.end().startEpochMillis());
      head.outputLegend();
      sums.forEach((tag, counts) -> out.print(line(encoder, generator, tag, counts)));
      out.flush();
      if (out.checkError()) {
        throw new IOException("cannot write " + into + " (is the disk full?)");
      }
    }
  }

  private static String line(
      HistogramEncoder encoder, GeneratorLog generator, String tag, SlotCounts counts) {
    GeneratorLog.Span span = generator.end().segments().get(tag.substring(0, tag.indexOf('/')));
    // Work that a segment carried over its end may belong to a segment that was not reached.
    long from = span == null ? generator.end().actualEndNanos() : span.fromNanos();
    long to = span == null ? generator.end().actualEndNanos() : span.toNanos();
    return encoder.line(tag, from, to, counts);
  }

  private static Map<String, SlotCounts> sums(GeneratorLog generator) throws IOException {
    Map<String, SlotCounts> sums = new LinkedHashMap<>();
    List<String> problems = new ArrayList<>();
    try (HistogramLines lines = HistogramLines.open(generator, problems)) {
      for (; lines.peek() != null; lines.advance()) {
        HistogramLines.Interval interval = lines.peek();
        SlotCounts counts = lines.decode();
        if (counts == null) {
          problems.add("a histogram in " + generator.hlog().getFileName() + " is damaged");
        } else {
          String tag = interval.segment() + "/" + interval.transaction() + "/" + interval.series();
          SlotCounts sum = sums.get(tag);
          sums.put(tag, sum == null ? counts.copy() : sum.plus(counts));
        }
      }
    }
    if (!problems.isEmpty()) {
      throw new IOException(String.join("; ", problems));
    }
    return sums;
  }
}
