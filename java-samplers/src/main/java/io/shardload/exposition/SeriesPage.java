package io.shardload.exposition;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A page of thousands of series in Prometheus' text format. Its text is made once, with room for
 * each value; a scrape prints the values that have changed, and leaves no garbage behind. One
 * thread defines series and publishes values, one at a time renders.
 */
final class SeriesPage implements Page.Source {
  /** Room for whole numbers, for seconds with nine decimals, and for dates in seconds with six. */
  static final int NUMBER_WIDTH = 20;

  private static final int DECIMALS = 9;
  private static final long DECIMAL_UNIT = 1_000_000_000;
  private static final int FEWER_DECIMALS = 6;
  private static final long FEWER_UNIT = 1_000_000;
  // Beyond, what is printed would not fit.
  private static final double MOST_PRINTED = 9e18;
  private static final double MOST_WITH_DECIMALS = 9e8;
  private static final double MOST_WITH_FEWER_DECIMALS = 9e9;

  /** A metric with its series: the texts before their values, and the places of these. */
  final class Family {
    private final byte[] header;
    private final String name;
    private final String type;
    private final String help;
    private final List<String> suffixes = new ArrayList<>();
    private final List<String[]> labels = new ArrayList<>();
    private final List<byte[]> texts = new ArrayList<>();
    private final List<Integer> places = new ArrayList<>();

    private Family(String name, String type, String help) {
      this.name = name;
      this.type = type;
      this.help = help;
      this.header = bytes("# HELP %s %s\n# TYPE %s %s\n".formatted(name, help, name, type));
    }

    /** Adds a series, named by labels and their values in turn, and returns its place. */
    int series(String... labels) {
      return series("", labels);
    }

    private int series(String suffix, String... own) {
      StringBuilder line = new StringBuilder(name).append(suffix).append('{');
      String separator = "";
      for (Map.Entry<String, String> label : withCommon(own).entrySet()) {
        line.append(separator).append(label.getKey()).append("=\"");
        line.append(escaped(label.getValue())).append('"');
        separator = ",";
      }
      suffixes.add(suffix);
      labels.add(own);
      texts.add(bytes(line.append("} ").toString()));
      places.add(size);
      text = null;
      return size++;
    }

    private Map<String, String> withCommon(String... own) {
      Map<String, String> all = new TreeMap<>(common);
      for (int i = 0; i < own.length; i += 2) {
        all.put(own[i], own[i + 1]);
      }
      return all;
    }

    private RecordedGenerator.Family describe() {
      List<RecordedGenerator.Family.Series> all = new ArrayList<>();
      for (int i = 0; i < places.size(); i++) {
        Map<String, String> named = withCommon(labels.get(i));
        all.add(new RecordedGenerator.Family.Series(name + suffixes.get(i), named, places.get(i)));
      }
      return new RecordedGenerator.Family(name, type, help, all);
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
   * The text of all series, with room for each value before {@code ends}; used by one thread at a
   * time.
   */
  private static final class Text {
    private final byte[] bytes;
    private final int[] ends;
    private final int[] places;

    /** The printed values. */
    private final double[] printed;

    Text(byte[] bytes, int[] ends, int[] places) {
      this.bytes = bytes;
      this.ends = ends;
      this.places = places;
      this.printed = new double[ends.length];
      Arrays.fill(printed, Double.NaN);
    }

    void print(double[] values) {
      for (int i = 0; i < ends.length; i++) {
        double value = values[places[i]];
        if (value != printed[i]) {
          printNumber(value, bytes, ends[i] - NUMBER_WIDTH, ends[i]);
          printed[i] = value;
        }
      }
    }
  }

  @SuppressWarnings("ArrayRecordComponent")
  private record Shown(Text text, double[] values) {}

  private final Map<String, String> common;
  private final List<Family> families = new ArrayList<>();
  private int size;

  /** Null when a series was added since. */
  private Text text;

  private volatile Shown shown;

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

  /** All series in the order of the page. */
  List<RecordedGenerator.Family> describe() {
    return families.stream().map(Family::describe).toList();
  }

  /** How many series there are: the length of the values. */
  int size() {
    return size;
  }

  /** Shows values from now on; they are copied. */
  void publish(double[] values) {
    text = text == null ? layOut() : text;
    shown = new Shown(text, values.clone());
  }

  private Text layOut() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    List<Integer> ends = new ArrayList<>();
    List<Integer> places = new ArrayList<>();
    for (Family family : families) {
      bytes.writeBytes(family.header);
      for (byte[] series : family.texts) {
        bytes.writeBytes(series);
        bytes.writeBytes(new byte[NUMBER_WIDTH]);
        ends.add(bytes.size());
        bytes.write('\n');
      }
      places.addAll(family.places);
    }
    return new Text(bytes.toByteArray(), array(ends), array(places));
  }

  private static int[] array(List<Integer> list) {
    return list.stream().mapToInt(each -> each).toArray();
  }

  @Override
  public void render(OutputStream out) throws IOException {
    Shown now = shown;
    now.text.print(now.values);
    out.write(now.text.bytes);
  }

  private static String escaped(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * Prints numbers into a fixed space, without creating objects.
   *
   * <p>Prints a number so that it ends before {@code to}; blanks fill the room before it.
   */
  static void printNumber(double value, byte[] into, int from, int to) {
    double size = Math.min(Math.abs(value), MOST_PRINTED);
    long whole = (long) size;
    int at = to;
    if (whole != size && size < MOST_WITH_FEWER_DECIMALS) {
      boolean all = size < MOST_WITH_DECIMALS;
      long unit = all ? DECIMAL_UNIT : FEWER_UNIT;
      long parts = Math.round(size * unit);
      whole = parts / unit;
      at = decimals(parts % unit, all ? DECIMALS : FEWER_DECIMALS, into, at);
    }
    do {
      into[--at] = (byte) ('0' + whole % 10);
      whole /= 10;
    } while (whole > 0);
    if (value < 0) {
      into[--at] = '-';
    }
    Arrays.fill(into, from, at, (byte) ' ');
  }

  private static int decimals(long parts, int digits, byte[] into, int to) {
    long rest = parts;
    int count = digits;
    while (count > 1 && rest % 10 == 0) {
      rest /= 10;
      count--;
    }
    int at = to;
    for (int i = 0; i < count; i++) {
      into[--at] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    into[--at] = '.';
    return at;
  }
}
