package io.shardload.bundle.hosts;

import java.util.Map;

/**
 * One machine during a run.
 *
 * @param host its name or address; several, with commas, where containers of one machine have their
 *     own
 * @param role a word of the key {@code target.hosts}, or {@link #GENERATOR}
 * @param server whether a server of the target runs there
 * @param cores number of processors; 0 if unknown
 * @param values by figure one value for each interval of the file, NaN where it is unknown; a
 *     figure without any value is absent
 */
public record HostSeries(
    String host, String role, boolean server, int cores, Map<Figure, double[]> values) {
  /** The role of a machine on which only generators run. */
  public static final String GENERATOR = "generator";

  public HostSeries {
    values = Map.copyOf(values);
  }

  /** The value in an interval; NaN where nothing is known. */
  public double at(Figure figure, int interval) {
    double[] all = values.get(figure);
    return all == null || interval < 0 || interval >= all.length ? Double.NaN : all[interval];
  }

  /** The machine in words, {@code db1.example (shard)}. */
  public String name() {
    return host + " (" + role + ")";
  }
}
