package io.shardload.driver.mongodb.schema;

import io.shardload.driver.mongodb.client.ServerKind;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;

/**
 * The schema of {@code schemas/document-store} with the chosen options.
 *
 * @param indexes as {@code createIndexes} takes them: name, key, unique where it is
 * @param chosen names of those of which {@code schema.index} says whether they are hashed
 * @param spread empty when the server is not sharded
 */
record SchemaFile(
    String collection, List<BsonDocument> indexes, Set<String> chosen, Optional<Spread> spread) {
  private static final String MONGODB = "/schemas/document-store/mongodb.json";
  private static final String FERRETDB = "/schemas/document-store/ferretdb.json";
  private static final BsonString CHOSEN = new BsonString("$index");

  SchemaFile {
    indexes = List.copyOf(indexes);
    chosen = Set.copyOf(chosen);
  }

  /** The file of the server's product, with options that fit the server. */
  static SchemaFile read(ServerKind server, SchemaOptions options) {
    BsonDocument file = parse(server.ferretdb() ? FERRETDB : MONGODB);
    List<BsonDocument> indexes = new ArrayList<>();
    Set<String> chosen = new HashSet<>();
    for (BsonValue index : file.getArray("indexes")) {
      indexes.add(index(index.asDocument(), options.index()));
      if (index.asDocument().getDocument("key").containsValue(CHOSEN)) {
        chosen.add(index.asDocument().getString("name").getValue());
      }
    }
    if (!server.sharded()) {
      return new SchemaFile(name(file), indexes, chosen, Optional.empty());
    }
    BsonDocument key = file.getDocument("shard-keys").getDocument(options.shardKey().orElseThrow());
    if (key.containsKey("index")) {
      indexes.add(index(key.getDocument("index"), options.index()));
    }
    Spread spread =
        new Spread(
            key.getDocument("key"),
            key.getBoolean("unique").getValue(),
            options.initialChunks(),
            options.ranges());
    return new SchemaFile(name(file), indexes, chosen, Optional.of(spread));
  }

  private static String name(BsonDocument file) {
    return file.getString("collection").getValue();
  }

  private static BsonDocument index(BsonDocument entry, String chosen) {
    BsonValue type =
        chosen.equals(SchemaOptions.HASHED)
            ? new BsonString(SchemaOptions.HASHED)
            : new BsonInt32(1);
    BsonDocument key = new BsonDocument();
    entry
        .getDocument("key")
        .forEach((field, value) -> key.append(field, value.equals(CHOSEN) ? type : value));
    BsonDocument index = new BsonDocument("name", entry.get("name")).append("key", key);
    return entry.getBoolean("unique", BsonBoolean.FALSE).getValue()
        ? index.append("unique", BsonBoolean.TRUE)
        : index;
  }

  private static BsonDocument parse(String path) {
    try (InputStream in = SchemaFile.class.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException(path + " is not on the class path");
      }
      return BsonDocument.parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
