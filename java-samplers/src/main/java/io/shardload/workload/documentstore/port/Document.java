package io.shardload.workload.documentstore.port;

import java.util.UUID;

/**
 * One row of {@code data_table}, one document of the collection: the record that every driver reads
 * and writes. The server sets the columns {@code created} and {@code updated}, which are not part
 * of it.
 *
 * @param id the tenant; shard and distribution key, in every statement
 * @param filter1 unique; identifies the ordinal
 * @param document the text that gives the row its size
 * @param edition how often the row was updated
 */
public record Document(
    UUID id,
    String filter1,
    String filter2,
    long filter3,
    String filter4,
    String filter5,
    String document,
    int edition) {

  public Key key() {
    return new Key(id, filter1);
  }

  /** The value of a column; the -1 of filter3 stands for null. */
  public Object value(Column column) {
    return switch (column) {
      case FILTER1 -> filter1;
      case FILTER2 -> filter2;
      case FILTER3 -> filter3;
      case FILTER4 -> filter4;
      case FILTER5 -> filter5;
    };
  }
}
