package io.shardload.dataset;

import io.shardload.config.Advice;
import io.shardload.config.ConfigException;
import io.shardload.driver.DataSetStore;
import io.shardload.driver.Header;
import io.shardload.keys.Ownership;
import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.workload.CallFailure;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * The states of all ordinals as compressed chunks next to the data. Chunk c holds the ordinals from
 * c * 65536 on, 16 bits each, big-endian, deflated; chunk -1 holds the high-water mark of its
 * generation. Generation 0 has no chunks: all tracked ordinals live at edition 0.
 */
public final class StateChunks {
  private static final int CHUNK = 1 << 16;
  private static final int MARK = -1;

  private StateChunks() {}

  /**
   * The mark at which the header's generation begins: no ordinal at or above it was used before.
   * Unlike the header's own mark it does not move during a run.
   */
  public static long highWater(DataSetStore store, Header header) throws CallFailure {
    return header.generation() == 0
        ? header.documents()
        : ByteBuffer.wrap(chunk(store, header, MARK)).getLong();
  }

  /**
   * How many documents certainly exist according to the states, without a count by the server. The
   * number is correct if only runs wrote, which verification proves; an unsettled write without an
   * answer may make it differ.
   */
  static long live(DataSetStore store, Header header) throws CallFailure {
    if (header.generation() == 0) {
      return Math.min(header.loaded(), header.followed());
    }
    long loaded = highWater(store, header);
    long live = 0;
    for (long from = 0; from < loaded; from += CHUNK) {
      ByteBuffer packed = ByteBuffer.wrap(chunk(store, header, (int) (from / CHUNK)));
      for (long ordinal = from; ordinal < Math.min(loaded, from + CHUNK); ordinal++) {
        int status = State.status(packed.getShort());
        live += status == State.LIVE || status == State.UNKNOWN_UPDATE ? 1 : 0;
      }
    }
    return live;
  }

  /** The states of all ordinals, by ordinal. */
  public static States read(DataSetStore store, Header header) throws CallFailure {
    return owned(store, header, new Ownership(0, 1, highWater(store, header)));
  }

  /** The states of the ordinals that one generator owns, by position. */
  public static States owned(DataSetStore store, Header header, Ownership ownership)
      throws CallFailure {
    States states = new States();
    states.grow(ownership.ownedLoaded());
    for (long from = 0; from < ownership.loaded(); from += CHUNK) {
      long end = Math.min(ownership.loaded(), from + CHUNK);
      if (header.generation() == 0) {
        for (long ordinal = from; ordinal < end; ordinal++) {
          put(states, ownership, ordinal, loaded(header, ordinal));
        }
      } else {
        ByteBuffer packed = ByteBuffer.wrap(chunk(store, header, (int) (from / CHUNK)));
        for (long ordinal = from; ordinal < end; ordinal++) {
          put(states, ownership, ordinal, packed.getShort());
        }
      }
    }
    return states;
  }

  /**
   * Calls back with every ordinal below the mark whose state differs from the start of the header's
   * generation: after a replay of the journals, the documents that a run wrote or may have written.
   */
  public static void changed(
      DataSetStore store, Header header, States now, long highWater, LongConsumer visitor)
      throws CallFailure {
    long used = highWater(store, header);
    for (long from = 0; from < highWater; from += CHUNK) {
      ByteBuffer packed =
          header.generation() > 0 && from < used
              ? ByteBuffer.wrap(chunk(store, header, (int) (from / CHUNK)))
              : null;
      for (long ordinal = from; ordinal < Math.min(highWater, from + CHUNK); ordinal++) {
        short loaded = ordinal < used ? loaded(header, ordinal) : State.of(State.ABSENT, 0);
        if (now.get(ordinal) != (packed == null ? loaded : packed.getShort())) {
          visitor.accept(ordinal);
        }
      }
    }
  }

  /** After the load; an ordinal of a row that is not tracked counts as deleted. */
  private static short loaded(Header header, long ordinal) {
    return State.of(ordinal < header.followed() ? State.LIVE : State.DELETED, 0);
  }

  /** Writes the states of the ordinals below the mark under a generation that is not in use yet. */
  public static void write(DataSetStore store, long generation, States states, long highWater)
      throws CallFailure {
    for (long from = 0; from < highWater; from += CHUNK) {
      ByteBuffer packed = ByteBuffer.allocate(CHUNK * Short.BYTES);
      for (long ordinal = from; ordinal < Math.min(highWater, from + CHUNK); ordinal++) {
        packed.putShort(states.get(ordinal));
      }
      store.writeChunk(generation, (int) (from / CHUNK), deflate(packed.array()));
    }
    writeMark(store, generation, highWater);
  }

  /** Writes the states as the next generation, which is clean. */
  public static void settle(DataSetStore store, Header header, States states) throws CallFailure {
    write(store, header.generation() + 1, states, header.highWater());
    nextGeneration(store, header);
  }

  /** Makes the next generation the current generation of the data set. */
  static void nextGeneration(DataSetStore store, Header header) throws CallFailure {
    Header next = header.settled(header.highWater());
    if (!store.replace(header, next)) {
      throw new CallFailure(
          "header-changed", true, false, "another process changed the header at the same time");
    }
    store.keepOnly(next.generation());
  }

  /** Writes only the mark, for ordinals whose states are not tracked. */
  static void writeMark(DataSetStore store, long generation, long highWater) throws CallFailure {
    byte[] mark = ByteBuffer.allocate(CHUNK * Short.BYTES).putLong(highWater).array();
    store.writeChunk(generation, MARK, deflate(mark));
  }

  private static void put(States states, Ownership ownership, long ordinal, short state) {
    long position = ownership.positionOf(ordinal);
    if (position >= 0) {
      states.set(position, state);
    }
  }

  private static byte[] chunk(DataSetStore store, Header header, int number) throws CallFailure {
    byte[] deflated =
        store
            .readChunk(header.generation(), number)
            .orElseThrow(() -> incomplete(header, number, "missing"));
    Inflater inflater = new Inflater();
    try {
      inflater.setInput(deflated);
      byte[] bytes = new byte[CHUNK * Short.BYTES];
      if (inflater.inflate(bytes) != bytes.length) {
        throw incomplete(header, number, "too short");
      }
      return bytes;
    } catch (DataFormatException e) {
      throw incomplete(header, number, "damaged");
    } finally {
      inflater.end();
    }
  }

  private static ConfigException incomplete(Header header, int number, String what) {
    return new ConfigException(
            "target",
            "state chunk %d of generation %d is %s, so the data set cannot be used again"
                .formatted(number, header.generation(), what))
        .advise(Advice.recreate("to drop all documents and load again"));
  }

  private static byte[] deflate(byte[] bytes) {
    Deflater deflater = new Deflater();
    deflater.setInput(bytes);
    deflater.finish();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] buffer = new byte[1 << 14];
    while (!deflater.finished()) {
      out.write(buffer, 0, deflater.deflate(buffer));
    }
    deflater.end();
    return out.toByteArray();
  }
}
