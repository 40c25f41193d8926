package io.shardload.exposition;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A page of thousands of series in the text format. The text of a series is made once; a scrape
 * only fills in the values, which costs a fifth of what the Prometheus client needs and leaves less
 * garbage behind. One thread defines series and publishes values, others render.
 */
final class SeriesPage implements Page.Source {
  static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  private static final int LONGEST_NUMBER = 25;

  /** A metric with its series: the texts before their values, and the places of these. */
  final class Family {
    private final byte[] header;
    private final String name;
    private final List<byte[]> texts = new ArrayList<>();
    private final List<Integer> places = new ArrayList<>();

    private Family(String name, String type, String help) {
      this.name = name;
      this.header = bytes("# HELP %s %s\n# TYPE %s %s\n".formatted(name, help, name, type));
    }

    /** Adds a series, named by labels and their values in turn, and returns its place. */
    int series(String... labels) {
      return series("", labels);
    }

    private int series(String suffix, String... labels) {
      Map<String, String> all = new TreeMap<>(common);
      for (int i = 0; i < labels.length; i += 2) {
        all.put(labels[i], labels[i + 1]);
      }
      StringBuilder text = new StringBuilder(name).append(suffix).append('{');
      String separator = "";
      for (Map.Entry<String, String> label : all.entrySet()) {
        text.append(separator).append(label.getKey()).append("=\"");
        text.append(escaped(label.getValue())).append('"');
        separator = ",";
      }
      texts.add(bytes(text.append("} ").toString()));
      places.add(size);
      shown = null;
      return size++;
    }

    /** Adds {@code _count} and {@code _sum} and returns the place of the first. */
    int summary(String... labels) {
      int first = series("_count", labels);
      series("_sum", labels);
      return first;
    }

    /** Adds a bucket for each boundary, then {@code _count} and {@code _sum}. */
    int histogram(List<String> boundaries, String... labels) {
      int first = size;
      for (String boundary : boundaries) {
        String[] all = Arrays.copyOf(labels, labels.length + 2);
        all[labels.length] = "le";
        all[labels.length + 1] = boundary;
        series("_bucket", all);
      }
      summary(labels);
      return first;
    }
  }

  /**
   * What is rendered.
   *
   * @param texts of all lines; those without a value end in a line feed
   * @param places of their values, -1 for none
   */
  @SuppressWarnings("ArrayRecordComponent")
  private record Shown(byte[][] texts, int[] places, double[] values) {}

  private final Map<String, String> common;
  private final List<Family> families = new ArrayList<>();
  private int size;
  private Shown shown;
  private volatile Shown published;

  /**
   * @param common labels of all series
   */
  SeriesPage(Map<String, String> common) {
    this.common = Map.copyOf(common);
  }

  Family family(String name, String type, String help) {
    Family family = new Family(name, type, help);
    families.add(family);
    return family;
  }

  /** How many series there are: the length of the values. */
  int size() {
    return size;
  }

  /** Shows values from now on; they are copied. */
  void publish(double[] values) {
    Shown former = shown == null ? layOut() : shown;
    shown = new Shown(former.texts, former.places, values.clone());
    published = shown;
  }

  private Shown layOut() {
    List<byte[]> texts = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    for (Family family : families) {
      texts.add(family.header);
      places.add(-1);
      texts.addAll(family.texts);
      places.addAll(family.places);
    }
    return new Shown(
        texts.toArray(byte[][]::new),
        places.stream().mapToInt(place -> place).toArray(),
        new double[0]);
  }

  @Override
  public String render(String accepted, OutputStream out) throws IOException {
    Shown now = published;
    byte[] number = new byte[LONGEST_NUMBER];
    for (int i = 0; i < now.texts.length; i++) {
      out.write(now.texts[i]);
      if (now.places[i] >= 0) {
        out.write(number, 0, print(now.values[now.places[i]], number));
        out.write('\n');
      }
    }
    return CONTENT_TYPE;
  }

  /** Prints a number and returns its length. */
  private static int print(double value, byte[] into) {
    long whole = (long) value;
    if (whole != value || whole < 0) {
      byte[] text = bytes(Double.toString(value));
      System.arraycopy(text, 0, into, 0, text.length);
      return text.length;
    }
    int length = 1;
    for (long rest = whole / 10; rest > 0; rest /= 10) {
      length++;
    }
    for (int i = length - 1; i >= 0; i--) {
      into[i] = (byte) ('0' + whole % 10);
      whole /= 10;
    }
    return length;
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
