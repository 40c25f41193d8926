package io.shardload.workload;

import io.shardload.data.KeyDistribution;
import io.shardload.topology.ShardShare;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PrimitiveIterator;
import java.util.function.LongConsumer;

/**
 * A workload with its seed and data parameters: everything about its data is a pure function of
 * these. Immutable and thread-safe.
 *
 * @param <P> the port that drivers implement for the transactions
 */
public interface Model<P> {
  /** More ordinals than a run can know. */
  long MOST_DOCUMENTS = 1L << 31;

  Class<P> port();

  Transaction<P> transaction(String name);

  /**
   * Whether each document is known by its ordinal: generators journal what they do to it, and
   * verification reads it back. Otherwise {@link #checks} say what is verified, and ordinals are
   * nothing but numbers that no two calls share.
   */
  default boolean followsDocuments() {
    return true;
  }

  /**
   * Whether a header beside the data says what it is, and which run writes to it. Without it
   * nothing is created, loaded or dropped.
   */
  default boolean keepsRecord() {
    return true;
  }

  /**
   * With what it has to ask the target before calls can be prepared. Asked once by each generator
   * before the common start, and by the controller for the run bundle.
   */
  default Model<P> ready(Ports ports) throws CallFailure {
    return this;
  }

  /**
   * For a run of these transactions alone.
   *
   * @throws io.shardload.config.ConfigException its data may not be used by them
   */
  default Model<P> of(List<String> transactions) {
    return this;
  }

  /** What it has the target answer before and after a run; empty if it has no checks. */
  default Optional<Checks> checks() {
    return Optional.empty();
  }

  /** Hash of the files that it was read from, which load hosts must have too; empty if none. */
  default String hash() {
    return "";
  }

  /** How many documents the initial load makes: ordinals 0 to documents - 1. */
  long documents();

  /**
   * Mean size of a document's content, uncompressed, without keys, filters and the server's own
   * overhead: what {@code dataset-size} counts.
   */
  long bytesPerDocument();

  /** How transactions choose among the owned ordinals. */
  KeyDistribution ranks();

  /**
   * What shapes the content: two data sets with the same seed and shape hold the same documents.
   * Kept in the header beside the data; a run whose shape differs is refused.
   */
  Map<String, String> shape();

  /**
   * The option that gives a key of {@link #shape} this value, as {@code -o} takes it: {@code
   * workload.data.tenants=100}; empty if no option does.
   */
  default String option(String shapeKey, String value) {
    return "workload.data." + shapeKey + "=" + value;
  }

  /**
   * Measured or derived properties for the run bundle, such as the compression ratio of a sample.
   */
  Map<String, Object> describe();

  /**
   * Refuses, as far as looking tells, what {@link #createSchema} would refuse; makes and changes
   * nothing.
   *
   * @param recreate what is there will be dropped, and so does not count
   */
  default void checkSchema(Ports ports, boolean recreate) throws CallFailure {}

  /**
   * What stands where the tables would and is not ours, in words; empty if nothing does. Only
   * looks.
   *
   * @param header whether a header of ours is beside it
   */
  default Optional<String> foreign(Ports ports, boolean header) throws CallFailure {
    return Optional.empty();
  }

  /** Creates the tables or collections, or checks the ones that are there. */
  boolean createSchema(Ports ports, boolean recreate, Progress steps) throws CallFailure;

  /** How many documents the target holds. */
  long count(Ports ports) throws CallFailure;

  /**
   * Writes the documents of ordinals from (inclusive) to end (exclusive), at edition 0.
   *
   * @param progress told the number of documents written so far by this call
   */
  void load(Ports ports, long from, long end, LongConsumer progress) throws CallFailure;

  /**
   * Called when the load is complete, before it is noted so; possibly more than once.
   *
   * @param steps told of steps that may take long
   */
  default void finishLoad(Ports ports, Progress steps) throws CallFailure {}

  /**
   * Cuts what the target holds into parts that can be read at the same time, so that every row is
   * in exactly one of them; one part where the server offers no cut that costs no extra work.
   *
   * @param threads how many there are to read with; above 1 the visitor has to be thread-safe
   */
  List<Part> parts(Ports ports, int threads) throws CallFailure;

  /** Reads every document of the target once, in any order, in the calling thread alone. */
  default void walk(Ports ports, RowVisitor visitor) throws CallFailure {
    for (Part part : parts(ports, 1)) {
      part.read(visitor);
    }
  }

  /** Reads the documents of these ordinals by key, in batches; those that are not there are not. */
  void read(Ports ports, PrimitiveIterator.OfLong ordinals, RowVisitor visitor) throws CallFailure;

  /** How many documents the target holds by the server's own estimate; empty if it has none. */
  default OptionalLong estimate(Ports ports) throws CallFailure {
    return OptionalLong.empty();
  }

  /**
   * How the server says it runs these transactions, by name; nothing is executed. One that has
   * several variants has a plan for each. What cannot be explained says why. Empty if the driver
   * does not tell.
   */
  default Map<String, Map<String, Object>> plans(Ports ports, List<String> transactions) {
    return Map.of();
  }

  /** Where the documents lie now, as the server tells; empty if the driver does not. */
  default Map<String, Object> storage(Ports ports) throws CallFailure {
    return Map.of();
  }

  /**
   * How loaded documents and operations are spread over the shards. Reads no documents.
   *
   * @param generators that the operations come from
   * @return empty if there is one shard, or if it is not known
   */
  default List<ShardShare> placement(Ports ports, int generators) throws CallFailure {
    return List.of();
  }
}
