package io.shardload.workload.statements.parameters;

import io.shardload.data.Draws;
import io.shardload.workload.statements.port.ValueType;
import java.util.List;
import java.util.stream.Stream;

/** Generates the values of a parameter or column. Immutable and thread-safe. */
public interface Parameter {
  /**
   * What each element of a list has: its values are arrays, one value for each repetition of a
   * statement.
   */
  interface Repeated extends Parameter {
    /** The list or the child table, as the key {@code each} names it. */
    String list();

    /** How many elements it has at least. */
    long least();

    long most();
  }

  /** Of one value. */
  ValueType type();

  /** A value, in the class of its type; null where the file asks for a share of NULL. */
  Object draw(Draws draws, Occasion occasion);

  /** The generators of which it is composed, such as those of the fields of an object. */
  default List<Parameter> parts() {
    return List.of();
  }

  /** Whether a call that uses it must claim a new number. */
  default boolean takesFresh() {
    return parts().stream().anyMatch(Parameter::takesFresh);
  }

  /**
   * Whether a writing call claims a new number for it, so that its values differ from the values of
   * all other calls. A call that only reads does not claim one.
   */
  default boolean distinctWhereWritten() {
    return takesFresh() || parts().stream().anyMatch(Parameter::distinctWhereWritten);
  }

  /** Whether its values depend on the time at which the file was read. */
  default boolean dated() {
    return parts().stream().anyMatch(Parameter::dated);
  }

  /** The parameters of the same call that must have a value before it. */
  default Stream<String> needs() {
    return parts().stream().flatMap(Parameter::needs);
  }

  /** How many characters a text has on average; 0 if it is not known. */
  default double meanLength() {
    return 0;
  }
}
