package io.shardload.hosts;

import java.util.Map;

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
}
