package io.shardload.timeseries.client;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The body of a request that one thread writes while another sends it. A few blocks are in memory,
 * no more: the writer waits for the sender.
 */
final class Upload extends OutputStream implements Iterable<byte[]> {
  private static final int BLOCK_BYTES = 1 << 16;
  private static final int BLOCKS = 4;
  private static final long LOOK_MILLIS = 100;
  private static final byte[] END = {};
  private static final byte[] BROKEN = {};

  private final BlockingQueue<byte[]> blocks = new ArrayBlockingQueue<>(BLOCKS);
  private final Duration patience;
  private final BooleanSupplier isOver;
  private final byte[] block = new byte[BLOCK_BYTES];
  private int used;
  private boolean closed;
  private volatile boolean broken;

  /**
   * @param patience how long the sender may take for one block
   * @param isOver whether nobody sends any longer
   */
  Upload(Duration patience, BooleanSupplier isOver) {
    this.patience = patience;
    this.isOver = isOver;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    int from = offset;
    int left = length;
    while (left > 0) {
      int some = Math.min(left, BLOCK_BYTES - used);
      System.arraycopy(bytes, from, block, used, some);
      used += some;
      from += some;
      left -= some;
      if (used == BLOCK_BYTES) {
        pass();
      }
    }
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      pass();
      put(END);
    }
  }

  /** Breaks the request off: what was written so far is not all. */
  void abort() {
    closed = true;
    broken = true;
    blocks.clear();
    // A writer that is still there may fill the queue again: then its blocks wake the sender.
    boolean ignored = blocks.offer(BROKEN);
  }

  private void pass() throws IOException {
    if (used > 0) {
      put(Arrays.copyOf(block, used));
      used = 0;
    }
  }

  private void put(byte[] bytes) throws IOException {
    long begin = System.nanoTime();
    try {
      while (!blocks.offer(bytes, LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
        if (isOver.getAsBoolean()) {
          throw new IOException("the request has ended");
        }
        if (System.nanoTime() - begin > patience.toNanos()) {
          throw new StoreException(
              "the store has accepted no data for %d s".formatted(patience.toSeconds()));
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public Iterator<byte[]> iterator() {
    return new Iterator<>() {
      private byte[] next;

      @Override
      public boolean hasNext() {
        if (next == null) {
          try {
            next = blocks.take();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
          }
        }
        if (broken) {
          throw new IllegalStateException("the request body was cut off");
        }
        return next != END;
      }

      @Override
      public byte[] next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        byte[] bytes = next;
        next = null;
        return bytes;
      }
    };
  }
}
