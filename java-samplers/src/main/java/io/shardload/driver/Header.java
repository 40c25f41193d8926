package io.shardload.driver;

import java.util.Map;
import java.util.TreeMap;

/**
 * The header of a data set.
 *
 * @param workload name of the workload that created it
 * @param shape the properties that determine its content, with the seed
 * @param highWater no ordinal at or above it was ever used
 * @param generation of the states that belong to it; grows by one with every settled run
 * @param dirtyRun the run that is writing, or that ended without being settled; empty when clean
 * @param loaded documents loaded so far at edition 0; the load is complete when it equals {@code
 *     documents}
 * @param identity random value from the creation of the data set: a data set that was created again
 *     has another value; empty in a header of an earlier version
 */
public record Header(
    String workload,
    Map<String, String> shape,
    long documents,
    long loaded,
    long highWater,
    long generation,
    String dirtyRun,
    String identity) {

  public Header {
    shape = new TreeMap<>(shape);
  }

  public boolean clean() {
    return dirtyRun.isEmpty();
  }

  public Header dirtiedBy(String runId) {
    return new Header(workload, shape, documents, loaded, highWater, generation, runId, identity);
  }

  public Header withLoaded(long count) {
    return new Header(
        workload,
        shape,
        documents,
        count,
        Math.max(highWater, count),
        generation,
        dirtyRun,
        identity);
  }

  public Header withHighWater(long mark) {
    return new Header(workload, shape, documents, loaded, mark, generation, dirtyRun, identity);
  }

  /** Clean, with the states of the next generation. */
  public Header settled(long newHighWater) {
    return new Header(
        workload, shape, documents, loaded, newHighWater, generation + 1, "", identity);
  }
}
