package io.shardload.workload.statements.port;

import com.google.gson.JsonObject;
import java.util.List;

/**
 * A database command of MongoDB in extended JSON (v2). A parameter is {@code {"$param": "name"}}
 * instead of a value.
 *
 * @param verb the command: its first key, such as {@code find}
 * @param collection that it works on
 * @param command the whole command, which is never changed
 */
public record CommandStatement(
    Place place,
    String verb,
    String collection,
    JsonObject command,
    List<String> names,
    boolean writes)
    implements Statement {

  public CommandStatement {
    names = List.copyOf(names);
  }
}
