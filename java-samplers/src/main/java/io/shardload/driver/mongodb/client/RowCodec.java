package io.shardload.driver.mongodb.client;

import io.shardload.workload.documentstore.port.Document;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.UUID;
import org.bson.BsonBinary;
import org.bson.BsonBinarySubType;
import org.bson.BsonReader;
import org.bson.BsonType;
import org.bson.BsonWriter;
import org.bson.codecs.Codec;
import org.bson.codecs.DecoderContext;
import org.bson.codecs.EncoderContext;

/**
 * Documents straight from and to BSON, without a map in between.
 *
 * <p>A field that is missing, null or of another type is read as null (numbers as -1), so that a
 * document of another shape is reported as a defect and does not end a walk. {@code _id} equals
 * {@code filter1}: unique on an unsharded collection, and a string, by which FerretDB 1.24 can read
 * without a scan. What a row of a table could not hold, another {@code _id} or a field more, takes
 * its text from a document. {@code created} is the generator's clock, because a server has no
 * default values.
 */
public final class RowCodec implements Codec<Document> {
  public static final RowCodec INSTANCE = new RowCodec();
  private static final int UUID_BYTES = 2 * Long.BYTES;

  private RowCodec() {}

  @Override
  public Class<Document> getEncoderClass() {
    return Document.class;
  }

  @Override
  public void encode(BsonWriter writer, Document document, EncoderContext context) {
    long now = System.currentTimeMillis();
    writer.writeStartDocument();
    writer.writeString("_id", document.filter1());
    writer.writeBinaryData("id", new BsonBinary(document.id()));
    writer.writeString("filter1", document.filter1());
    writer.writeString("filter2", document.filter2());
    writer.writeInt64("filter3", document.filter3());
    writer.writeString("filter4", document.filter4());
    writer.writeString("filter5", document.filter5());
    writer.writeString("document", document.document());
    writer.writeInt32("edition", document.edition());
    writer.writeDateTime("created", now);
    writer.writeDateTime("updated", now);
    writer.writeEndDocument();
  }

  @Override
  public Document decode(BsonReader reader, DecoderContext context) {
    UUID id = null;
    String filter1 = null;
    String filter2 = null;
    long filter3 = -1;
    String filter4 = null;
    String filter5 = null;
    String document = null;
    int edition = -1;
    String key = null;
    boolean known = true;
    reader.readStartDocument();
    while (reader.readBsonType() != BsonType.END_OF_DOCUMENT) {
      switch (reader.readName()) {
        case "id" -> id = uuid(reader);
        case "filter1" -> filter1 = text(reader);
        case "filter2" -> filter2 = text(reader);
        case "filter3" -> filter3 = bigint(reader);
        case "filter4" -> filter4 = text(reader);
        case "filter5" -> filter5 = text(reader);
        case "document" -> document = text(reader);
        case "edition" -> edition = integer(reader);
        case "_id" -> key = text(reader);
        case "created", "updated" -> reader.skipValue();
        default -> {
          reader.skipValue();
          known = false;
        }
      }
    }
    reader.readEndDocument();
    String read = known && Objects.equals(key, filter1) ? document : null;
    return new Document(id, filter1, filter2, filter3, filter4, filter5, read, edition);
  }

  private static UUID uuid(BsonReader reader) {
    if (reader.getCurrentBsonType() == BsonType.BINARY
        && reader.peekBinarySubType() == BsonBinarySubType.UUID_STANDARD.getValue()
        && reader.peekBinarySize() == UUID_BYTES) {
      ByteBuffer bytes = ByteBuffer.wrap(reader.readBinaryData().getData());
      return new UUID(bytes.getLong(), bytes.getLong());
    }
    reader.skipValue();
    return null;
  }

  private static String text(BsonReader reader) {
    if (reader.getCurrentBsonType() == BsonType.STRING) {
      return reader.readString();
    }
    reader.skipValue();
    return null;
  }

  private static long bigint(BsonReader reader) {
    if (reader.getCurrentBsonType() == BsonType.INT64) {
      return reader.readInt64();
    }
    reader.skipValue();
    return -1;
  }

  private static int integer(BsonReader reader) {
    if (reader.getCurrentBsonType() == BsonType.INT32) {
      return reader.readInt32();
    }
    reader.skipValue();
    return -1;
  }
}
