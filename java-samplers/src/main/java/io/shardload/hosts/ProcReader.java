package io.shardload.hosts;

import io.shardload.hosts.HostSample.Disk;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Reads the counters of this machine from Linux's {@code /proc}. Values that cannot be read are
 * unknown in the sample and reported in words. Not thread-safe.
 */
final class ProcReader {
  /** Of the unit in which Linux reports processor time, on every architecture in use. */
  private static final double TICKS_PER_SECOND = 100;

  private static final double MILLIS_PER_SECOND = 1000;
  private static final double SECTOR_BYTES = 512;
  private static final int CPU_MODES = 8;
  private static final int IDLE = 3;
  private static final int IO_WAIT = 4;
  private static final int DISK_FIELDS = 10;
  private static final int NETWORK_FIELDS = 8;
  private static final int MOST_REMEMBERED = 1000;

  /**
   * A sample, and what is missing in it, one sentence each.
   *
   * @param missing empty if everything is known
   */
  record Reading(HostSample sample, List<String> missing) {}

  /** Processor time of the machine in seconds. */
  private record Cpu(int cores, double busySeconds, double waitSeconds) {
    static final Cpu UNKNOWN = new Cpu(0, Double.NaN, Double.NaN);
  }

  private record Traffic(double received, double sent) {
    static final Traffic UNKNOWN = new Traffic(Double.NaN, Double.NaN);
  }

  private final Path proc;
  private final ProcText text = new ProcText();
  private final Map<String, Boolean> isDisk = new HashMap<>();
  private final Map<String, Boolean> isNetwork = new HashMap<>();
  private final Map<String, Traffic> lastTraffic = new HashMap<>();
  private double received;
  private double sent;

  /**
   * @param proc {@code /proc}, or a copy of it
   */
  ProcReader(Path proc) {
    this.proc = proc;
  }

  /** Takes a sample; the time is asked after the counters are read. */
  Reading read(DoubleSupplier secondsSinceStart) {
    List<String> missing = new ArrayList<>();
    Cpu cpu = read("stat", Cpu.UNKNOWN, this::cpu, missing);
    Map<String, Disk> disks = read("diskstats", Map.of(), this::disks, missing);
    Traffic traffic = read("net/dev", Traffic.UNKNOWN, this::traffic, missing);
    HostSample sample =
        new HostSample(
            secondsSinceStart.getAsDouble(),
            cpu.cores(),
            cpu.busySeconds(),
            cpu.waitSeconds(),
            disks,
            traffic.received(),
            traffic.sent());
    return new Reading(sample, missing);
  }

  private <T> T read(String file, T unknown, Supplier<T> parser, List<String> missing) {
    Path path = proc.resolve(file);
    try {
      text.read(path);
      return parser.get();
    } catch (IOException e) {
      missing.add("cannot read " + path);
    } catch (UnknownException e) {
      missing.add(path + " " + e.getMessage());
    } catch (RuntimeException e) {
      missing.add(path + " has an unknown format");
    }
    return unknown;
  }

  /** A file does not have the requested values. */
  private static final class UnknownException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnknownException(String message) {
      super(message);
    }
  }

  /** Containers keep creating new devices, so not all are remembered. */
  private static boolean remembered(
      Map<String, Boolean> answers, String name, Predicate<String> question) {
    if (answers.size() > MOST_REMEMBERED) {
      answers.clear();
    }
    return answers.computeIfAbsent(name, question::test);
  }

  private Cpu cpu() {
    int cores = 0;
    double busyTicks = 0;
    double waitSeconds = Double.NaN;
    while (text.nextLine()) {
      String name = text.word();
      if (name.equals("cpu")) {
        // user nice system idle iowait irq softirq steal; guest time is part of user.
        for (int i = 0; i < CPU_MODES && text.hasMore(); i++) {
          double ticks = text.number();
          if (i == IO_WAIT) {
            waitSeconds = ticks / TICKS_PER_SECOND;
          } else if (i != IDLE) {
            busyTicks += ticks;
          }
        }
      } else if (name.startsWith("cpu")) {
        cores++;
      } else {
        break;
      }
    }
    if (cores == 0) {
      throw new UnknownException("lists no processor");
    }
    return new Cpu(cores, busyTicks / TICKS_PER_SECOND, waitSeconds);
  }

  private Map<String, Disk> disks() {
    Map<String, Disk> disks = new HashMap<>();
    while (text.nextLine()) {
      text.number();
      text.number();
      String name = text.word();
      if (remembered(isDisk, name, Devices::isDisk)) {
        disks.put(name, disk());
      }
    }
    if (disks.isEmpty()) {
      throw new UnknownException("lists no disk");
    }
    return disks;
  }

  /** reads merged sectors ms, writes merged sectors ms, in flight, busy ms. */
  private Disk disk() {
    double[] values = new double[DISK_FIELDS];
    for (int i = 0; i < values.length; i++) {
      values[i] = text.number();
    }
    return new Disk(
        values[0],
        values[2] * SECTOR_BYTES,
        values[3] / MILLIS_PER_SECOND,
        values[4],
        values[6] * SECTOR_BYTES,
        values[7] / MILLIS_PER_SECOND,
        values[9] / MILLIS_PER_SECOND);
  }

  /** The bytes since the first call, so that a device that appears or restarts adds none. */
  private Traffic traffic() {
    Map<String, Traffic> now = new HashMap<>();
    // Two lines of headings.
    text.nextLine();
    text.nextLine();
    while (text.nextLine()) {
      String name = text.until((byte) ':');
      if (remembered(isNetwork, name, Devices::isNetwork)) {
        now.put(name, deviceTraffic());
      }
    }
    now.forEach(
        (name, traffic) -> {
          Traffic last = lastTraffic.getOrDefault(name, traffic);
          received += Math.max(0, traffic.received() - last.received());
          sent += Math.max(0, traffic.sent() - last.sent());
        });
    lastTraffic.clear();
    lastTraffic.putAll(now);
    if (now.isEmpty()) {
      throw new UnknownException("lists no network device except loopback and virtual ones");
    }
    return new Traffic(received, sent);
  }

  /** bytes packets errs drop fifo frame compressed multicast, received and then sent. */
  private Traffic deviceTraffic() {
    double receivedBytes = text.number();
    for (int i = 1; i < NETWORK_FIELDS; i++) {
      text.number();
    }
    return new Traffic(receivedBytes, text.number());
  }

  /**
   * Reads a text of words and numbers, line by line. A generator does so once a second in code that
   * is hardly ever compiled, so it is kept to plain loops over one buffer. Not thread-safe.
   */
  private static final class ProcText {
    private byte[] bytes = new byte[1 << 14];
    private int size;
    private int at;
    private int lineEnd;

    /**
     * Reads a file; its first line is not begun. Its size is not queried, because files in {@code
     * /proc} have none.
     */
    void read(Path file) throws IOException {
      size = 0;
      try (InputStream in = new FileInputStream(file.toFile())) {
        for (int more = 0; more >= 0; more = in.read(bytes, size, bytes.length - size)) {
          size += more;
          if (size == bytes.length) {
            bytes = Arrays.copyOf(bytes, 2 * size);
          }
        }
      }
      lineEnd = -1;
    }

    /** Goes to the next line; false if there is none. */
    boolean nextLine() {
      at = lineEnd + 1;
      lineEnd = at;
      while (lineEnd < size && bytes[lineEnd] != '\n') {
        lineEnd++;
      }
      return at < size;
    }

    /** The next word of the line; empty at its end. */
    String word() {
      return until((byte) ' ');
    }

    /** The text before a mark, or before the next space if there is one; skips both. */
    String until(byte mark) {
      skipSpaces();
      int from = at;
      while (at < lineEnd && bytes[at] != mark && bytes[at] != ' ') {
        at++;
      }
      String word = new String(bytes, from, at - from, StandardCharsets.ISO_8859_1);
      at++;
      return word;
    }

    /** Whether the line has anything more. */
    boolean hasMore() {
      skipSpaces();
      return at < lineEnd;
    }

    /**
     * The next number of the line.
     *
     * @throws NumberFormatException there is none
     */
    double number() {
      skipSpaces();
      int from = at;
      double value = 0;
      while (at < lineEnd && bytes[at] >= '0' && bytes[at] <= '9') {
        value = 10 * value + (bytes[at++] - '0');
      }
      if (at == from || (at < lineEnd && bytes[at] != ' ')) {
        throw new NumberFormatException();
      }
      return value;
    }

    private void skipSpaces() {
      while (at < lineEnd && bytes[at] == ' ') {
        at++;
      }
    }
  }
}
