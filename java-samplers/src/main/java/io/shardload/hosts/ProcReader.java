package io.shardload.hosts;

import io.shardload.hosts.HostSample.Disk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringTokenizer;
import java.util.function.DoubleSupplier;

/**
 * Reads the counters of this machine from Linux's {@code /proc}. What cannot be read is unknown in
 * the sample, and said once more in words. Not thread-safe.
 */
final class ProcReader {
  /** Of the unit in which Linux reports processor time, on every architecture in use. */
  private static final double TICKS_PER_SECOND = 100;

  private static final double MILLIS_PER_SECOND = 1000;
  private static final double SECTOR_BYTES = 512;
  private static final int LEAST_DISK_FIELDS = 14;
  private static final int LEAST_NETWORK_FIELDS = 9;

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

  private interface Parser<T> {
    /**
     * Reads the text of a file.
     *
     * @throws RuntimeException it has another form
     */
    T parse(String text);
  }

  private final Path proc;
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
    Cpu cpu = read("stat", Cpu.UNKNOWN, ProcReader::cpu, missing);
    Map<String, Disk> disks = read("diskstats", Map.of(), ProcReader::disks, missing);
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

  private <T> T read(String file, T unknown, Parser<T> parser, List<String> missing) {
    Path path = proc.resolve(file);
    try {
      return parser.parse(new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1));
    } catch (IOException e) {
      missing.add("cannot read " + path);
    } catch (UnknownException e) {
      missing.add(path + " " + e.getMessage());
    } catch (RuntimeException e) {
      missing.add(path + " is not understood");
    }
    return unknown;
  }

  /** A file says nothing of what is asked. */
  private static final class UnknownException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnknownException(String message) {
      super(message);
    }
  }

  private static Cpu cpu(String text) {
    int cores = 0;
    long busyTicks = 0;
    double waitSeconds = Double.NaN;
    for (String line : (Iterable<String>) text.lines()::iterator) {
      if (line.startsWith("cpu ")) {
        StringTokenizer fields = new StringTokenizer(line);
        fields.nextToken();
        // user nice system idle iowait irq softirq steal; guest time is part of user.
        for (int i = 0; i < 8 && fields.hasMoreTokens(); i++) {
          long ticks = Long.parseLong(fields.nextToken());
          if (i == 4) {
            waitSeconds = ticks / TICKS_PER_SECOND;
          } else if (i != 3) {
            busyTicks += ticks;
          }
        }
      } else if (line.startsWith("cpu")) {
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

  private static Map<String, Disk> disks(String text) {
    Map<String, Disk> disks = new HashMap<>();
    for (String line : (Iterable<String>) text.lines()::iterator) {
      StringTokenizer fields = new StringTokenizer(line);
      int size = fields.countTokens();
      fields.nextToken();
      fields.nextToken();
      String name = fields.nextToken();
      if (size >= LEAST_DISK_FIELDS && Devices.isDisk(name)) {
        disks.put(name, disk(fields));
      }
    }
    if (disks.isEmpty()) {
      throw new UnknownException("lists no disk");
    }
    return disks;
  }

  /** reads merged sectors ms, writes merged sectors ms, in flight, busy ms. */
  private static Disk disk(StringTokenizer fields) {
    double[] values = new double[10];
    for (int i = 0; i < values.length; i++) {
      values[i] = Long.parseLong(fields.nextToken());
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
  private Traffic traffic(String text) {
    Map<String, Traffic> now = new HashMap<>();
    for (String line : (Iterable<String>) text.lines()::iterator) {
      int colon = line.lastIndexOf(':');
      String name = line.substring(0, Math.max(0, colon)).strip();
      StringTokenizer fields = new StringTokenizer(line.substring(colon + 1));
      if (colon > 0 && fields.countTokens() >= LEAST_NETWORK_FIELDS && Devices.isNetwork(name)) {
        now.put(name, traffic(fields));
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
      throw new UnknownException("lists no network device but loopback and virtual ones");
    }
    return new Traffic(received, sent);
  }

  private static Traffic traffic(StringTokenizer fields) {
    double receivedBytes = Long.parseLong(fields.nextToken());
    // packets errs drop fifo frame compressed multicast
    for (int i = 0; i < 7; i++) {
      fields.nextToken();
    }
    return new Traffic(receivedBytes, Long.parseLong(fields.nextToken()));
  }
}
