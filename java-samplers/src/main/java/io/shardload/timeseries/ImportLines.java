package io.shardload.timeseries;

import com.google.gson.JsonObject;
import io.shardload.exposition.RecordedGenerator.Family;
import java.io.IOException;
import java.io.Writer;

/**
 * Series as VictoriaMetrics imports them: a line of JSON for each. That is a tenth of the text
 * format, which repeats the labels before every value.
 */
final class ImportLines implements RunSeries.Sink {
  private final Writer out;

  ImportLines(Writer out) {
    this.out = out;
  }

  @Override
  public void family(Family family) {}

  @Override
  public void series(Points points) throws IOException {
    JsonObject metric = new JsonObject();
    metric.addProperty("__name__", points.name());
    points.labels().forEach(metric::addProperty);
    out.write("{\"metric\":" + metric + ",\"values\":[");
    String separator = "";
    for (double value : points.values()) {
      if (!Double.isNaN(value)) {
        out.write(separator);
        out.write(Points.text(value));
        separator = ",";
      }
    }
    out.write("],\"timestamps\":[");
    separator = "";
    for (int i = 0; i < points.values().length; i++) {
      if (!Double.isNaN(points.values()[i])) {
        out.write(separator);
        out.write(Long.toString(points.epochMillis()[i]));
        separator = ",";
      }
    }
    out.write("]}\n");
  }
}
