package io.shardload.workload.statements.parameters;

import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.util.List;

/**
 * A table of {@code workload.data.tables}.
 *
 * @param rows that the load makes
 */
public record Table(String table, long rows, List<String> columns, List<ValueType> types)
    implements TableRows {
  @Override
  public Object[] row(long number) {
    throw new UnsupportedOperationException();
  }
}
