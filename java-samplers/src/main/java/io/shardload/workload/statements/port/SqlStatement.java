package io.shardload.workload.statements.port;

import java.util.List;

/**
 * A statement of SQL, cut at its parameters.
 *
 * @param pieces the text between the parameters: one more than {@code names}; without the closing
 *     semicolon
 * @param names of the parameters
 * @param verb the first word that is no part of a CTE's definition, in lower case: {@code select},
 *     {@code insert}, {@code update}, {@code delete}, {@code merge}, {@code values}, {@code table},
 *     or another that only a schema may have
 * @param writes whether it or one of its CTEs changes data, or locks rows
 */
public record SqlStatement(
    Place place, List<String> pieces, List<String> names, String verb, boolean writes)
    implements Statement {

  public SqlStatement {
    pieces = List.copyOf(pieces);
    names = List.copyOf(names);
    if (pieces.size() != names.size() + 1) {
      throw new IllegalArgumentException("one piece more than names");
    }
  }

  /** The text with this in place of each parameter. */
  public String with(String placeholder) {
    return String.join(placeholder, pieces);
  }
}
