package io.shardload.bundle.hosts;

import java.util.List;

/**
 * What the machines did during a run. Interval {@code i} of every series reaches from {@code i *
 * stepSeconds} to {@code (i + 1) * stepSeconds} after the start of the run; its value is the mean
 * over this time.
 *
 * @param source {@link #STORE} or {@link #LOCAL}
 * @param origin address of the store; empty where the generators sampled their own machines
 * @param missing what is not known and why, one sentence each; never drawn as zero
 */
public record HostMetrics(
    String source,
    String origin,
    double stepSeconds,
    List<HostSeries> hosts,
    List<String> missing) {
  /** From the store that {@code target.metrics.url} names. */
  public static final String STORE = "store";

  /** Sampled by the generators on their own machines. */
  public static final String LOCAL = "local";

  public HostMetrics {
    hosts = List.copyOf(hosts);
    missing = List.copyOf(missing);
  }

  /** The machines on which a server of the target runs. */
  public List<HostSeries> servers() {
    return hosts.stream().filter(HostSeries::server).toList();
  }
}
