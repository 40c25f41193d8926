package io.shardload.keys;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A growing array of {@link State}s with atomic access, in chunks so that growth copies nothing.
 */
public final class States {
  private static final int CHUNK_BITS = 16;
  private static final int CHUNK = 1 << CHUNK_BITS;
  private static final VarHandle SHORTS = MethodHandles.arrayElementVarHandle(short[].class);

  private volatile short[][] chunks = new short[0][];

  /** Makes room for positions 0 to size - 1; new ones are {@code ABSENT}. */
  public void grow(long size) {
    if (size > (long) chunks.length << CHUNK_BITS) {
      growTo((int) ((size + CHUNK - 1) >> CHUNK_BITS));
    }
  }

  /** Documents 0 to n-1, freshly loaded. */
  public static States loaded(long documents) {
    States states = new States();
    states.grow(documents);
    for (long position = 0; position < documents; position++) {
      states.set(position, State.live(0));
    }
    return states;
  }

  /** The known state at a position; {@code ABSENT} beyond the end. */
  public short get(long position) {
    short[][] now = chunks;
    int chunk = (int) (position >> CHUNK_BITS);
    return chunk < now.length ? (short) SHORTS.getVolatile(now[chunk], offset(position)) : 0;
  }

  public void set(long position, short state) {
    SHORTS.setVolatile(chunks[(int) (position >> CHUNK_BITS)], offset(position), state);
  }

  boolean compareAndSet(long position, short expected, short next) {
    return SHORTS.compareAndSet(
        chunks[(int) (position >> CHUNK_BITS)], offset(position), expected, next);
  }

  private synchronized void growTo(int count) {
    short[][] old = chunks;
    if (count <= old.length) {
      return;
    }
    short[][] longer = new short[count][];
    System.arraycopy(old, 0, longer, 0, old.length);
    for (int i = old.length; i < count; i++) {
      longer[i] = new short[CHUNK];
    }
    chunks = longer;
  }

  private static int offset(long position) {
    return (int) position & (CHUNK - 1);
  }
}
