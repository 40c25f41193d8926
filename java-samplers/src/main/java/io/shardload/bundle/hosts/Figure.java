package io.shardload.bundle.hosts;

/** A figure of a machine over time. The key ends in its unit; ratios are 0 to 1. */
public enum Figure {
  /** Processors in use, of all of them; waiting for a disk is not use. */
  CPU("cpu_ratio"),
  /** Processors that are idle and wait for a disk, of all of them. */
  IO_WAIT("iowait_ratio"),
  READS("reads_per_second"),
  WRITES("writes_per_second"),
  READ_BYTES("read_bytes_per_second"),
  WRITTEN_BYTES("written_bytes_per_second"),
  /** Mean time of a read, queueing included; absent where there was none. */
  READ_LATENCY("read_latency_seconds"),
  /** Mean time of a write, queueing included; absent where there was none. */
  WRITE_LATENCY("write_latency_seconds"),
  /** Time in which the busiest disk had at least one operation in flight, of all time. */
  DISK_BUSY("disk_busy_ratio"),
  RECEIVED_BYTES("received_bytes_per_second"),
  SENT_BYTES("sent_bytes_per_second");

  private final String key;

  Figure(String key) {
    this.key = key;
  }

  /** The name in files. */
  public String key() {
    return key;
  }
}
