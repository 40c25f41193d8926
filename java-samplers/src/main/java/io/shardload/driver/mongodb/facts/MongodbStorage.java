package io.shardload.driver.mongodb.facts;

import io.shardload.driver.mongodb.client.Bson;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.schema.Schema;
import io.shardload.topology.Division;
import io.shardload.workload.statements.port.Storage;
import io.shardload.workload.statements.port.Storage.Placement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.BsonDocument;

/** The location of the documents: {@code collStats}, and the cluster's own metadata. */
public record MongodbStorage(ClusterCatalog server, ServerKind kind) {
  private static final Pattern COMPRESSOR = Pattern.compile("block_compressor=([a-z]*)");

  /** Asks the server. */
  public Storage read() {
    BsonDocument stats = server.run("collStats", server.collection());
    if (kind.fake()) {
      // It counts index entries instead of bytes, and returns 0 for unknown values.
      return new Storage(
          -1,
          Map.of(),
          List.of(new Placement("", "", Bson.number(stats, "count", -1), -1)),
          Map.of("server", kind.describe()));
    }
    Map<String, String> facts = new TreeMap<>();
    // FerretDB's is an estimate of its PostgreSQL, which counts compressed documents.
    if (stats.containsKey("size") && !kind.ferretdb()) {
      facts.put("documents-bytes-uncompressed", Long.toString(Bson.number(stats, "size", -1)));
    }
    List<Placement> placements = new ArrayList<>();
    if (kind.sharded()) {
      cluster(stats, placements, facts);
    } else {
      String node = kind.mongodb() ? Bson.text(Bson.ask(server.client(), "hello"), "me") : "";
      placements.add(placement("", node, stats));
    }
    compression(stats, facts);
    return new Storage(Bson.number(stats, "storageSize", -1), indexBytes(stats), placements, facts);
  }

  private static Placement placement(String shard, String node, BsonDocument stats) {
    return new Placement(
        shard, node, Bson.number(stats, "count", -1), Bson.number(stats, "storageSize", -1));
  }

  private void cluster(BsonDocument stats, List<Placement> placements, Map<String, String> facts) {
    Map<String, String> hosts = new LinkedHashMap<>();
    ClusterCatalog.listShards(server.client())
        .forEach(shard -> hosts.put(shard.name(), shard.host()));
    Bson.child(stats, "shards")
        .forEach(
            (shard, part) ->
                placements.add(placement(shard, hosts.getOrDefault(shard, ""), part.asDocument())));
    BsonDocument sharded = server.sharded();
    if (sharded == null) {
      facts.put("shard-key", "none: the collection is not sharded");
      return;
    }
    facts.put("shard-key", Schema.wholeNumbers(sharded.getDocument("key")).toJson());
    Map<String, Long> chunks = new TreeMap<>();
    server.chunks(sharded).forEach(chunk -> chunks.merge(chunk.shard(), 1L, Long::sum));
    chunks.forEach((shard, count) -> facts.put("chunks." + shard, Long.toString(count)));
    for (BsonDocument zone : server.zoneRanges()) {
      facts.merge(
          "zone." + Bson.text(zone, "tag"),
          zone.getDocument("min").toJson() + " to " + zone.getDocument("max").toJson(),
          (first, second) -> first + ", " + second);
    }
  }

  /**
   * How many documents each shard holds, by the shards' own counters, which ignore documents left
   * behind by chunk moves; by {@code collStats} where these are not there. All shards, also those
   * without a document; empty if the collection is not sharded and so lies on one of them.
   *
   * @param column the field by whose values the documents are grouped
   */
  public Optional<Division> division(String column) {
    BsonDocument sharded = kind.sharded() ? server.sharded() : null;
    if (sharded == null) {
      return Optional.empty();
    }
    Map<String, Long> documents = new TreeMap<>();
    ClusterCatalog.listShards(server.client()).forEach(shard -> documents.put(shard.name(), 0L));
    documents.putAll(server.owned("numOwnedDocuments").orElseGet(this::everything));
    String first = Bson.child(sharded, "key").keySet().stream().findFirst().orElse("");
    return Optional.of(new Division(documents, first.equals(column)));
  }

  private Map<String, Long> everything() {
    Map<String, Long> counts = new TreeMap<>();
    Bson.child(server.run("collStats", server.collection()), "shards")
        .forEach((shard, part) -> counts.put(shard, Bson.number(part.asDocument(), "count", 0)));
    return counts;
  }

  /** By the block compressor that was configured when the storage engine created the files. */
  private static void compression(BsonDocument stats, Map<String, String> facts) {
    Set<String> compressors = new TreeSet<>();
    List<BsonDocument> parts = new ArrayList<>(List.of(stats));
    Bson.child(stats, "shards").values().forEach(part -> parts.add(part.asDocument()));
    for (BsonDocument part : parts) {
      Matcher configured =
          COMPRESSOR.matcher(Bson.text(Bson.child(part, "wiredTiger"), "creationString"));
      if (configured.find()) {
        compressors.add(configured.group(1).isEmpty() ? "none" : configured.group(1));
      }
    }
    if (!compressors.isEmpty()) {
      facts.put("compression", String.join(", ", compressors));
    }
  }

  private static Map<String, Long> indexBytes(BsonDocument stats) {
    Map<String, Long> bytes = new TreeMap<>();
    BsonDocument sizes = Bson.child(stats, "indexSizes");
    sizes.keySet().forEach(name -> bytes.put(name, Bson.number(sizes, name, -1)));
    return bytes;
  }
}
