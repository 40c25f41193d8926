package io.shardload.timeseries;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SeriesTableTest {
  @TempDir Path folder;

  private FileChannel file() throws IOException {
    return FileChannel.open(
        folder.resolve("table"),
        StandardOpenOption.CREATE_NEW,
        StandardOpenOption.READ,
        StandardOpenOption.WRITE);
  }

  /** Two tables in one file, over several blocks; a series begins within a block, one later. */
  @Test
  void everySeriesKeepsItsValues() throws IOException {
    try (FileChannel file = file()) {
      SeriesTable one = new SeriesTable(file);
      SeriesTable other = new SeriesTable(file);
      for (int row = 0; row < 150; row++) {
        one.add(
            1000L * row,
            row < 10
                ? new double[] {row, -row}
                : row < 130 ? new double[] {row, -row, 2.5} : new double[] {row, -row, 2.5, 7});
        other.add(row, new double[] {row + 0.5});
      }
      assertThat(one.epochMillis()).hasSize(150).startsWith(0, 1000).endsWith(149_000);
      for (int row = 0; row < 150; row++) {
        assertThat(one.column(0)[row]).isEqualTo(row);
        assertThat(one.column(1)[row]).isEqualTo(-row);
        assertThat(one.column(2)[row]).isEqualTo(Double.valueOf(row < 10 ? Double.NaN : 2.5));
        assertThat(one.column(3)[row]).isEqualTo(Double.valueOf(row < 130 ? Double.NaN : 7));
        assertThat(other.column(0)[row]).isEqualTo(row + 0.5);
      }
    }
  }
}
