package io.shardload.workload.documentstore.port;

import io.shardload.workload.CallFailure;
import java.util.function.Consumer;

/** A part of the table, which one thread reads on its own connection. */
@FunctionalInterface
public interface TablePart {
  /** Like {@link DocumentStoreAdmin#walk}, for this part only. */
  void read(Consumer<Document> visitor) throws CallFailure;
}
