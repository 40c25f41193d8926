package io.shardload.timeseries;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Values of many series at the same moments: written moment by moment, read series by series. They
 * lie in a file in blocks of some moments, within a block series by series.
 */
final class SeriesTable {
  private static final int BLOCK_ROWS = 64;

  private record Block(long position, int rows, int columns) {}

  private final FileChannel file;
  private final List<Block> blocks = new ArrayList<>();
  private final double[][] waiting = new double[BLOCK_ROWS][];
  private int waitingRows;
  private long[] epochMillis = new long[BLOCK_ROWS];
  private int rows;

  /**
   * Makes an empty one.
   *
   * @param file where its blocks go; other tables may have theirs there too
   */
  SeriesTable(FileChannel file) {
    this.file = file;
  }

  /** Adds the values of a moment, by place; later moments may have more series. */
  void add(long atEpochMillis, double[] values) throws IOException {
    if (rows == epochMillis.length) {
      epochMillis = Arrays.copyOf(epochMillis, 2 * rows);
    }
    epochMillis[rows++] = atEpochMillis;
    waiting[waitingRows++] = values;
    if (waitingRows == BLOCK_ROWS) {
      flush();
    }
  }

  private void flush() throws IOException {
    if (waitingRows == 0) {
      return;
    }
    int columns = waiting[waitingRows - 1].length;
    ByteBuffer bytes = ByteBuffer.allocate(columns * waitingRows * Double.BYTES);
    for (int column = 0; column < columns; column++) {
      for (int row = 0; row < waitingRows; row++) {
        double[] values = waiting[row];
        bytes.putDouble(column < values.length ? values[column] : Double.NaN);
      }
    }
    bytes.flip();
    Block block = new Block(file.size(), waitingRows, columns);
    long position = block.position;
    while (bytes.hasRemaining()) {
      position += file.write(bytes, position);
    }
    blocks.add(block);
    waitingRows = 0;
  }

  /** When the values are of. */
  long[] epochMillis() {
    return Arrays.copyOf(epochMillis, rows);
  }

  /** The values of a series, one for each moment; NaN before it began. */
  double[] column(int place) throws IOException {
    flush();
    double[] column = new double[rows];
    int at = 0;
    for (Block block : blocks) {
      if (place < block.columns) {
        DoubleBuffer values = read(block, place);
        values.get(column, at, block.rows);
      } else {
        Arrays.fill(column, at, at + block.rows, Double.NaN);
      }
      at += block.rows;
    }
    return column;
  }

  private DoubleBuffer read(Block block, int place) throws IOException {
    int length = block.rows * Double.BYTES;
    ByteBuffer bytes = ByteBuffer.allocate(length);
    long from = block.position + (long) place * length;
    while (bytes.hasRemaining()) {
      if (file.read(bytes, from + bytes.position()) < 0) {
        throw new IOException("the temporary file of the series is cut off");
      }
    }
    return bytes.flip().asDoubleBuffer();
  }
}
