package io.shardload.workload;

import io.shardload.data.KeyDistribution;
import io.shardload.topology.ShardShare;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * A workload with its seed and data parameters: everything about its data is a pure function of
 * these. Immutable and thread-safe.
 *
 * @param <P> the port that drivers implement for the transactions
 */
public interface Model<P> {
  /** An upper bound for the ordinals of a run. */
  long MOST_DOCUMENTS = 1L << 31;

  Class<P> port();

  Transaction<P> transaction(String name);

  /**
   * Whether each document is tracked by its ordinal: generators journal their changes, and
   * verification reads the document back. Otherwise {@link #checks} define what is verified, and
   * ordinals are only numbers that no two calls share.
   */
  default boolean followsDocuments() {
    return true;
  }

  /**
   * The key of {@link #shape} with the number of followed documents, where the load creates others,
   * too.
   */
  String FOLLOWED = "followed";

  /** How many of the loaded documents are tracked: the first ordinals. */
  default long followed() {
    return documents();
  }

  /** The name that the data has for an ordinal, such as its key; empty if it has none. */
  default String nameOf(long ordinal) {
    return "";
  }

  /**
   * Whether a header next to the data describes it and names the run that writes to it. Without the
   * header nothing is created, loaded or dropped.
   */
  default boolean keepsRecord() {
    return true;
  }

  /**
   * Returns the model with the values that it must query from the target before calls can be
   * prepared. Called once by each generator before the common start, and by the controller for the
   * run bundle.
   */
  default Model<P> ready(Ports ports) throws CallFailure {
    return this;
  }

  /**
   * Returns the model for a run of these transactions only.
   *
   * @throws io.shardload.config.ConfigException these transactions may not use its data
   */
  default Model<P> of(List<String> transactions) {
    return this;
  }

  /** The checks that the target answers before and after a run; empty if there are none. */
  default Optional<Checks> checks() {
    return Optional.empty();
  }

  /**
   * Hash of the files of the model, which every load host must have; empty if there are no files.
   */
  default String hash() {
    return "";
  }

  /** How many documents the initial load creates: ordinals 0 to documents - 1. */
  long documents();

  /** What {@code workload.data.documents} counts: those that other options would load, too. */
  default long counted() {
    return documents();
  }

  /**
   * Mean size of a document's content, uncompressed, without keys, filters and the server's own
   * overhead, over {@link #counted}: what {@code dataset-size} counts.
   */
  long bytesPerDocument();

  /** How transactions choose among the owned ordinals. */
  KeyDistribution ranks();

  /** The further tables with rows of documents, by the index that visitors get. */
  default List<Dependents> dependents() {
    return List.of();
  }

  /**
   * The properties that determine the content: two data sets with the same seed and shape hold the
   * same documents. Stored in the header next to the data; a run with another shape is refused.
   */
  Map<String, String> shape();

  /**
   * The option that gives a key of {@link #shape} this value, in the form of {@code -o}: {@code
   * workload.data.tenants=100}; empty if no option does.
   */
  default String option(String shapeKey, String value) {
    return "workload.data." + shapeKey + "=" + value;
  }

  /** Whether the value of a key of {@link #shape()} is a hash, which means nothing to people. */
  default boolean hashed(String shapeKey) {
    return false;
  }

  /** Whether a difference of a key of {@link #shape()} follows from those of other keys. */
  default boolean follows(String shapeKey, Set<String> others) {
    return false;
  }

  /** The values of the workload's own options, by name; empty if it has none. */
  default Map<String, Object> chosen() {
    return Map.of();
  }

  /** Those of them that the section {@code schema} sets, by its keys. */
  default Map<String, String> schema() {
    return Map.of();
  }

  /**
   * Measured or derived properties for the run bundle, such as the compression ratio of a sample.
   */
  Map<String, Object> describe();

  /**
   * Refuses what {@link #createSchema} would refuse, as far as this can be checked without creating
   * or changing anything.
   *
   * @param recreate existing tables will be dropped, so they do not matter
   */
  default void checkSchema(Ports ports, boolean recreate) throws CallFailure {}

  /** Refuses options that the target's system does not take; asks the target nothing. */
  default void checkSystem(Ports ports) {}

  /** The tables or collections that hold the data, by the names that statements use. */
  default List<String> tables() {
    return List.of();
  }

  /** Creates the tables or collections, or checks existing ones; returns whether it created any. */
  boolean createSchema(Ports ports, Making making, Progress steps) throws CallFailure;

  /** How many documents the target holds. */
  long count(Ports ports) throws CallFailure;

  /**
   * Writes the documents of ordinals from (inclusive) to end (exclusive), at edition 0.
   *
   * @param progress receives the number of documents written so far by this call
   */
  void load(Ports ports, long from, long end, LongConsumer progress) throws CallFailure;

  /**
   * Called when the load is complete, before the header records this; possibly more than once.
   *
   * @param steps receives steps that may take long
   */
  default void finishLoad(Ports ports, Progress steps) throws CallFailure {}

  /**
   * Divides the data of the target into parts that can be read in parallel. Every row is in exactly
   * one part. Returns one part if every division would cost the server extra work.
   *
   * @param threads number of reading threads; above 1 the visitor must be thread-safe
   */
  List<Part> parts(Ports ports, int threads) throws CallFailure;

  /** Reads every document of the target once, in any order, in the calling thread. */
  default void walk(Ports ports, RowVisitor visitor) throws CallFailure {
    for (Part part : parts(ports, 1)) {
      part.read(visitor);
    }
  }

  /** Reads the documents of these ordinals by key, in batches; skips missing documents. */
  void read(Ports ports, PrimitiveIterator.OfLong ordinals, RowVisitor visitor) throws CallFailure;

  /** How many documents the target holds by the server's own estimate; empty if it has none. */
  default OptionalLong estimate(Ports ports) throws CallFailure {
    return OptionalLong.empty();
  }

  /**
   * The server's query plans for these transactions, by name; nothing is executed. A transaction
   * with several variants has one plan per variant. If a statement cannot be explained, the entry
   * gives the reason. Empty if the driver does not support plans.
   */
  default Map<String, Map<String, Object>> plans(Ports ports, List<String> transactions) {
    return Map.of();
  }

  /**
   * The current location of the documents according to the server; empty if the driver does not
   * support this.
   */
  default Map<String, Object> storage(Ports ports) throws CallFailure {
    return Map.of();
  }

  /**
   * How loaded documents and operations are spread over the shards. Reads no documents.
   *
   * @param generators that issue the operations
   * @return empty if there is one shard, or if it is not known
   */
  default List<ShardShare> placement(Ports ports, int generators) throws CallFailure {
    return List.of();
  }
}
