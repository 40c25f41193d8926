package io.shardload.hosts;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.json.Json;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.DoubleStream;

/**
 * The counters of one machine at one moment. They are cumulative; one that is not known is NaN.
 *
 * @param seconds since the start of the run; may be negative
 * @param cores number of processors; 0 if unknown
 * @param cpuBusySeconds time in which processors were in use, over all of them: every mode but idle
 *     and waiting for a disk
 * @param ioWaitSeconds time in which processors were idle and waited for a disk, over all of them
 * @param disks by name of the device, without the layers above them (partitions, LVM, RAID)
 * @param receivedBytes over all network devices that are neither loopback nor virtual
 * @param sentBytes likewise
 */
public record HostSample(
    double seconds,
    int cores,
    double cpuBusySeconds,
    double ioWaitSeconds,
    Map<String, Disk> disks,
    double receivedBytes,
    double sentBytes) {
  private static final int DISK_COUNTERS = 7;

  public HostSample {
    disks = Map.copyOf(disks);
  }

  /**
   * The counters of one disk.
   *
   * @param readSeconds sum of the times of all reads, queueing included
   * @param writeSeconds sum of the times of all writes, queueing included
   * @param busySeconds time in which at least one operation was in flight
   */
  public record Disk(
      double reads,
      double readBytes,
      double readSeconds,
      double writes,
      double writtenBytes,
      double writeSeconds,
      double busySeconds) {}

  /** Adds the counters that are known. */
  static void add(HostSample sample, JsonObject json) {
    json.addProperty("seconds", Math.round(sample.seconds() * 1e6) / 1e6);
    json.addProperty("cores", sample.cores());
    addKnown(json, "cpu_busy_seconds", sample.cpuBusySeconds());
    addKnown(json, "io_wait_seconds", sample.ioWaitSeconds());
    JsonObject disks = new JsonObject();
    sample.disks().forEach((name, disk) -> disks.add(name, array(disk)));
    json.add("disks", disks);
    addKnown(json, "received_bytes", sample.receivedBytes());
    addKnown(json, "sent_bytes", sample.sentBytes());
  }

  private static void addKnown(JsonObject json, String key, double value) {
    if (Double.isFinite(value)) {
      json.addProperty(key, value);
    }
  }

  private static JsonArray array(Disk disk) {
    JsonArray array = new JsonArray();
    DoubleStream.of(
            disk.reads(),
            disk.readBytes(),
            disk.readSeconds(),
            disk.writes(),
            disk.writtenBytes(),
            disk.writeSeconds(),
            disk.busySeconds())
        .forEach(counter -> array.add(Json.finite(counter)));
    return array;
  }

  /** Reads the object; null if it holds no sample, because the machine could not be read. */
  static HostSample read(JsonObject json) {
    double seconds = Json.number(json, "seconds", Double.NaN);
    if (Double.isNaN(seconds)) {
      return null;
    }
    Map<String, Disk> disks = new HashMap<>();
    JsonObject all = Json.object(json, "disks");
    for (String name : all.keySet()) {
      JsonArray counters = Json.array(all, name);
      if (counters.size() >= DISK_COUNTERS) {
        disks.put(name, disk(counters));
      }
    }
    return new HostSample(
        seconds,
        (int) Json.integer(json, "cores", 0),
        Json.number(json, "cpu_busy_seconds", Double.NaN),
        Json.number(json, "io_wait_seconds", Double.NaN),
        disks,
        Json.number(json, "received_bytes", Double.NaN),
        Json.number(json, "sent_bytes", Double.NaN));
  }

  private static Disk disk(JsonArray array) {
    double[] at = new double[DISK_COUNTERS];
    for (int i = 0; i < DISK_COUNTERS; i++) {
      JsonElement counter = array.get(i);
      at[i] = counter.isJsonNull() ? Double.NaN : counter.getAsDouble();
    }
    return new Disk(at[0], at[1], at[2], at[3], at[4], at[5], at[6]);
  }
}
