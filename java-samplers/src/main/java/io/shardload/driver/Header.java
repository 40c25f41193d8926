package io.shardload.driver;

import com.google.gson.Gson;
import com.google.gson.reflect.TypeToken;
import io.shardload.workload.DataObject;
import io.shardload.workload.Model;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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
 *     has another value
 * @param objects tables and everything else that belongs to the data set
 */
public record Header(
    String workload,
    Map<String, String> shape,
    long documents,
    long loaded,
    long highWater,
    long generation,
    String dirtyRun,
    String identity,
    List<DataObject> objects) {

  /** In the place of a run: a verification of the settled data set found wrong data. */
  public static final String WRONG_DATA = "wrong-data";

  /** Verification keeps two bytes for each ordinal. */
  private static final long MOST_ORDINALS = 1L << 34;

  public Header {
    shape = new TreeMap<>(shape);
    objects = List.copyOf(objects);
  }

  /** As a store keeps it: texts and numbers by the names of columns. */
  public Map<String, Object> columns() {
    Map<String, Object> columns = new LinkedHashMap<>();
    columns.put("workload", workload);
    // Sorted keys: the same shape is always the same text.
    columns.put("shape", new Gson().toJson(shape));
    columns.put("documents", documents);
    columns.put("loaded", loaded);
    columns.put("high_water", highWater);
    columns.put("generation", generation);
    columns.put("dirty_run", dirtyRun);
    columns.put("identity", identity);
    columns.put("objects", new Gson().toJson(objects));
    return columns;
  }

  /** A header from its {@link #columns}. */
  public static Header of(Map<String, Object> columns) {
    return new Header(
        (String) columns.get("workload"),
        new Gson().fromJson((String) columns.get("shape"), new TypeToken<Map<String, String>>() {}),
        (Long) columns.get("documents"),
        (Long) columns.get("loaded"),
        (Long) columns.get("high_water"),
        (Long) columns.get("generation"),
        (String) columns.get("dirty_run"),
        (String) columns.get("identity"),
        new Gson().fromJson((String) columns.get("objects"), new TypeToken<List<DataObject>>() {}));
  }

  /**
   * Whether its numbers can be those of a data set: a user of the database may have changed them.
   */
  public boolean sound() {
    return 0 <= loaded
        && loaded <= documents
        && loaded <= highWater
        && highWater <= MOST_ORDINALS
        && generation >= 0;
  }

  /** How many of the loaded ordinals are tracked: the first ones. */
  public long followed() {
    String followed = shape.getOrDefault(Model.FOLLOWED, "");
    return followed.matches("\\d{1,18}") ? Long.parseLong(followed) : documents;
  }

  public boolean clean() {
    return dirtyRun.isEmpty();
  }

  /** Whether a run made it dirty. Otherwise it is clean, or a verification found wrong data. */
  public boolean ofRun() {
    return !clean() && !dirtyRun.equals(WRONG_DATA);
  }

  public Header dirtiedBy(String runId) {
    return new Header(
        workload, shape, documents, loaded, highWater, generation, runId, identity, objects);
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
        identity,
        objects);
  }

  public Header withHighWater(long mark) {
    return new Header(
        workload, shape, documents, loaded, mark, generation, dirtyRun, identity, objects);
  }

  /** Clean, with the states of the next generation. */
  public Header settled(long newHighWater) {
    return new Header(
        workload, shape, documents, loaded, newHighWater, generation + 1, "", identity, objects);
  }

  /** With more objects; one of the same name is replaced. */
  public Header with(List<DataObject> more) {
    List<DataObject> all = new ArrayList<>(more);
    objects.stream()
        .filter(old -> more.stream().noneMatch(one -> one.name().equals(old.name())))
        .forEach(all::add);
    return new Header(
        workload, shape, documents, loaded, highWater, generation, dirtyRun, identity, all);
  }
}
