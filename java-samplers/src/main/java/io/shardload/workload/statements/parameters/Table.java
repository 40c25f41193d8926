package io.shardload.workload.statements.parameters;

import com.google.gson.JsonElement;
import io.shardload.data.Draws;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/**
 * A table of {@code workload.data.tables}. Any row is a pure function of seed, name of the table,
 * names of the columns and number. Immutable and thread-safe.
 */
public final class Table implements TableRows {
  private static final int SAMPLE = 256;
  private static final int NUMBER_BYTES = 8;
  private static final int UUID_BYTES = 16;

  private final String table;
  private final long rows;
  private final List<Column> made;
  private final List<String> columns;
  private final List<ValueType> types;

  Table(String table, long rows, List<Column> columns) {
    this.table = table;
    this.rows = rows;
    this.made = List.copyOf(columns);
    this.columns = columns.stream().map(Column::name).toList();
    this.types = columns.stream().map(column -> column.values().type()).toList();
  }

  @Override
  public String table() {
    return table;
  }

  @Override
  public long rows() {
    return rows;
  }

  @Override
  public List<String> columns() {
    return columns;
  }

  @Override
  public List<ValueType> types() {
    return types;
  }

  @Override
  public Object[] row(long number) {
    Objects.checkIndex(number, Long.MAX_VALUE);
    Occasion occasion = Occasion.row(number);
    Draws draws = new Draws();
    Object[] values = new Object[made.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = made.get(i).at(draws, occasion);
    }
    return values;
  }

  /**
   * Size of a row's values: texts and JSON in UTF-8, 16 bytes for a uuid, 8 for any other type. It
   * does not include the server's overhead.
   */
  public long bytes(long number) {
    long bytes = 0;
    for (Object value : row(number)) {
      bytes += bytes(value);
    }
    return bytes;
  }

  private static long bytes(Object value) {
    if (value instanceof String || value instanceof JsonElement) {
      return value.toString().getBytes(StandardCharsets.UTF_8).length;
    }
    return value instanceof UUID ? UUID_BYTES : NUMBER_BYTES;
  }

  /**
   * Mean of {@link #bytes} over a sample of the rows that the load creates; 0 if it creates none.
   */
  public double meanBytes() {
    int sampled = (int) Math.min(SAMPLE, rows);
    long sum = 0;
    for (int i = 0; i < sampled; i++) {
      sum += bytes(Math.multiplyExact((long) i, rows) / sampled);
    }
    return sampled == 0 ? 0 : (double) sum / sampled;
  }

  List<Column> made() {
    return made;
  }
}
