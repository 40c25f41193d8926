package io.shardload.workload.documentstore.port;

import io.shardload.workload.CallFailure;
import java.util.function.Consumer;

/** A part of the table, which one thread reads on a connection of its own. */
@FunctionalInterface
public interface TablePart {
  /** As {@link DocumentStoreAdmin#walk}, of this part alone. */
  void read(Consumer<Document> visitor) throws CallFailure;
}
