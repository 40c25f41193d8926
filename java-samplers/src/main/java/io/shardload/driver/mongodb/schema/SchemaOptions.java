package io.shardload.driver.mongodb.schema;

import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.driver.mongodb.client.ServerKind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.bson.BsonBinary;
import org.bson.BsonValue;

/**
 * The section {@code schema}. The keys {@code shard-key}, {@code index} and {@code initial-chunks}
 * set options of document-store's folder, whose schema files use them.
 *
 * @param initialChunks pieces to make of the empty collection, or 0 for the default
 * @param zones which shards may hold which ids, by their bytes; empty for any shard
 * @param waitForBalancer how long to wait until chunks need not be moved any more
 * @param shardingKeys the keys that were set and mean nothing without shards
 */
public record SchemaOptions(
    String shardKey,
    String index,
    int initialChunks,
    List<Spread.Range> zones,
    Duration waitForBalancer,
    List<String> shardingKeys) {

  static final String HASHED = "hashed";
  static final String ID_FILTER1 = "id-filter1";

  private static final String SHARD_KEY = "schema.shard-key";
  private static final String INITIAL_CHUNKS = "schema.initial-chunks";
  static final int MOST_CHUNKS = 8192;

  /** {@link UUID#fromString} also takes shortened ones, and puts zeroes where nobody sees them. */
  private static final Pattern ID =
      Pattern.compile("(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  public SchemaOptions {
    zones = List.copyOf(zones);
    shardingKeys = List.copyOf(shardingKeys);
  }

  /** Reads section {@code schema}; refuses combinations that no server supports. */
  public static SchemaOptions read(Options options) {
    List<String> shardingKeys =
        Stream.of("shard-key", "initial-chunks", "zones", "wait-for-balancer")
            .filter(options::has)
            .map(options::pathOf)
            .toList();
    SchemaOptions read =
        new SchemaOptions(
            options.choice("shard-key", HASHED, List.of(HASHED, ID_FILTER1)),
            options.choice("index", HASHED, List.of(HASHED, "ascending")),
            (int) options.integer("initial-chunks", 0, 1, MOST_CHUNKS),
            zones(options),
            options.duration("wait-for-balancer", Duration.ofMinutes(5)),
            shardingKeys);
    options.rejectUnknown();
    if (!read.zones.isEmpty()) {
      read.checkZones();
    }
    return read;
  }

  /**
   * Refuses what a server cannot do.
   *
   * @throws ConfigException an option has another meaning or no meaning on it
   */
  public void check(ServerKind server) {
    if (!server.sharded() && !shardingKeys.isEmpty()) {
      throw new ConfigException(
          shardingKeys.get(0),
          "needs a sharded cluster, but target.url leads to %s; give the address of a mongos, or leave %s out"
              .formatted(server.describe(), String.join(", ", shardingKeys)));
    }
    boolean hashed = server.sharded() && shardKey.equals(HASHED);
    if (hashed && initialChunks > 0 && !server.takesInitialChunks()) {
      throw new ConfigException(
          INITIAL_CHUNKS,
          "%s always creates one chunk per shard for a hashed key; leave it out, or set schema.shard-key=%s"
              .formatted(server.title(), ID_FILTER1));
    }
  }

  private void checkZones() {
    if (!shardKey.equals(ID_FILTER1)) {
      throw new ConfigException(
          SHARD_KEY,
          "zones are ranges of id, but a hashed key scatters the ids: set it to " + ID_FILTER1);
    }
    if (initialChunks > 0) {
      throw new ConfigException(
          INITIAL_CHUNKS,
          "cannot be combined with schema.zones, whose ranges define the first chunks");
    }
    Set<String> names = new HashSet<>();
    for (int i = 0; i < zones.size(); i++) {
      Spread.Range zone = zones.get(i);
      String key = "schema.zones." + i;
      if (!names.add(zone.zone())) {
        throw new ConfigException(key + ".zone", "'" + zone.zone() + "' occurs twice");
      }
      if (!before(zone.from(), zone.to())) {
        throw new ConfigException(key + ".to", "is not above " + zone.from().asBinary().asUuid());
      }
      for (Spread.Range other : zones.subList(0, i)) {
        if (before(zone.from(), other.to()) && before(other.from(), zone.to())) {
          throw new ConfigException(
              key,
              "the range of zone '%s' overlaps the range of zone '%s'"
                  .formatted(zone.zone(), other.zone()));
        }
      }
    }
  }

  /** As the server sorts ids: by their bytes, unsigned; {@link UUID#compareTo} is signed. */
  private static boolean before(BsonValue from, BsonValue to) {
    return from == null
        || to == null
        || Arrays.compareUnsigned(from.asBinary().getData(), to.asBinary().getData()) < 0;
  }

  private static List<Spread.Range> zones(Options options) {
    List<Spread.Range> zones = new ArrayList<>();
    for (Options zone : options.sections("zones")) {
      List<String> shards =
          Arrays.stream(zone.requiredText("shards").split(",", -1)).map(String::strip).toList();
      if (shards.contains("")) {
        throw new ConfigException(zone.pathOf("shards"), "is not a comma-separated list of names");
      }
      zones.add(
          new Spread.Range(zone.requiredText("zone"), shards, id(zone, "from"), id(zone, "to")));
      zone.rejectUnknown();
    }
    return zones;
  }

  private static BsonValue id(Options zone, String key) {
    Optional<String> text = zone.text(key);
    if (text.filter(one -> !ID.matcher(one).matches()).isPresent()) {
      throw new ConfigException(
          zone.pathOf(key),
          "'" + text.get() + "' is not an id, such as 80000000-0000-4000-8000-000000000000");
    }
    return text.map(one -> new BsonBinary(UUID.fromString(one))).orElse(null);
  }
}
