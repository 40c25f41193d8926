package io.shardload.timeseries;

import io.shardload.exposition.RecordedGenerator.Family;
import java.io.IOException;
import java.io.Writer;
import java.util.Map;

/**
 * Series as OpenMetrics text with timestamps, as promtool reads it: a family's samples together, a
 * series' samples in order of time.
 */
final class OpenMetrics implements RunSeries.Sink {
  private static final String TOTAL = "_total";

  private final Writer out;

  OpenMetrics(Writer out) {
    this.out = out;
  }

  static void write(RunSeries series, Writer out) throws IOException {
    series.writeTo(new OpenMetrics(out));
    out.write("# EOF\n");
  }

  /** A counter is named without the suffix of its samples. */
  @Override
  public void family(Family family) throws IOException {
    String name = family.name();
    boolean counter = family.type().equals("counter") && name.endsWith(TOTAL);
    String metric = counter ? name.substring(0, name.length() - TOTAL.length()) : name;
    out.write("# TYPE " + metric + " " + family.type() + "\n");
    out.write("# HELP " + metric + " " + escaped(family.help()) + "\n");
  }

  @Override
  public void series(Points points) throws IOException {
    StringBuilder head = new StringBuilder(points.name()).append('{');
    String separator = "";
    for (Map.Entry<String, String> label : points.labels().entrySet()) {
      head.append(separator).append(label.getKey()).append("=\"");
      head.append(escaped(label.getValue())).append('"');
      separator = ",";
    }
    String start = head.append("} ").toString();
    for (int i = 0; i < points.values().length; i++) {
      if (!Double.isNaN(points.values()[i])) {
        out.write(start);
        out.write(Points.text(points.values()[i]));
        out.write(' ');
        out.write(seconds(points.epochMillis()[i]));
        out.write('\n');
      }
    }
  }

  private static String seconds(long epochMillis) {
    String millis = Long.toString(1000 + Math.floorMod(epochMillis, 1000)).substring(1);
    return Math.floorDiv(epochMillis, 1000) + "." + millis;
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }
}
