package io.shardload.driver.mongodb;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.bson.BsonArray;
import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;

/** A request of MongoDB's wire protocol, as far as the fake router needs it. */
record FakeWire(int opcode, int requestId, BsonDocument command) {
  private static final int OP_REPLY = 1;
  private static final int OP_MSG = 2013;
  private static final int HEADER_BYTES = 16;

  static FakeWire read(DataInputStream in) throws IOException {
    byte[] header = new byte[HEADER_BYTES];
    in.readFully(header);
    ByteBuffer head = little(header);
    byte[] body = new byte[head.getInt(0) - HEADER_BYTES];
    in.readFully(body);
    int opcode = head.getInt(12);
    return new FakeWire(opcode, head.getInt(4), request(opcode, body));
  }

  byte[] reply(BsonDocument answer) {
    return message(opcode, requestId, answer);
  }

  private static BsonDocument request(int opcode, byte[] body) {
    if (opcode == OP_MSG) {
      return sections(body);
    }
    // OP_QUERY: flags, the name of a collection, two numbers.
    int end = endOfName(body, Integer.BYTES);
    return document(body, end + 2 * Integer.BYTES);
  }

  /** Flags, then the command (kind 0), then lists of documents that belong to it (kind 1). */
  private static BsonDocument sections(byte[] body) {
    BsonDocument command = new BsonDocument();
    int at = Integer.BYTES;
    while (at < body.length) {
      byte kind = body[at++];
      int end = at + little(body).getInt(at);
      if (kind == 0) {
        command.putAll(document(body, at));
      } else {
        int documents = endOfName(body, at + Integer.BYTES);
        String name =
            new String(body, at + Integer.BYTES, documents - at - Integer.BYTES - 1, US_ASCII);
        BsonArray list = new BsonArray();
        for (int next = documents; next < end; next += little(body).getInt(next)) {
          list.add(document(body, next));
        }
        command.put(name, list);
      }
      at = end;
    }
    return command;
  }

  /** The index after the zero that ends a name. */
  private static int endOfName(byte[] body, int from) {
    int end = from;
    while (body[end] != 0) {
      end++;
    }
    return end + 1;
  }

  private static BsonDocument document(byte[] body, int at) {
    return new RawBsonDocument(body, at, little(body).getInt(at));
  }

  private static byte[] message(int opcode, int requestId, BsonDocument answer) {
    byte[] document = encoded(answer);
    int preludeBytes = opcode == OP_MSG ? Integer.BYTES + 1 : 20;
    byte[] bytes = new byte[HEADER_BYTES + preludeBytes + document.length];
    ByteBuffer message =
        little(bytes)
            .putInt(bytes.length)
            .putInt(0)
            .putInt(requestId)
            .putInt(opcode == OP_MSG ? OP_MSG : OP_REPLY);
    if (opcode == OP_MSG) {
      message.putInt(0).put((byte) 0);
    } else {
      message.putInt(0).putLong(0).putInt(0).putInt(1);
    }
    message.put(document);
    return bytes;
  }

  private static byte[] encoded(BsonDocument document) {
    BasicOutputBuffer buffer = new BasicOutputBuffer();
    try (BsonBinaryWriter writer = new BsonBinaryWriter(buffer)) {
      new BsonDocumentCodec().encode(writer, document, EncoderContext.builder().build());
    }
    return buffer.toByteArray();
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
