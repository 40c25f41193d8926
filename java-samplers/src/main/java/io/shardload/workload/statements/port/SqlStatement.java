package io.shardload.workload.statements.port;

import java.util.List;

/**
 * A statement of SQL, cut at its parameters.
 *
 * @param place the line of its first word; line ends are those of the file, so the line of a
 *     character is that of the place and the line ends before it
 * @param pieces the text between the parameters: one more than {@code names}; without the closing
 *     semicolon and without comments. A question mark is an operator, see {@code
 *     io.shardload.workload.statements.sql.Operators}
 * @param names of the parameters
 * @param verb the first word that is no part of a CTE's definition, in lower case: {@code select},
 *     {@code insert}, {@code update}, {@code delete}, {@code merge}, {@code values}, {@code table},
 *     or another that only a schema may have
 * @param writes whether it or one of its CTEs inserts, updates, deletes or merges. Locking rows
 *     ({@code FOR UPDATE}) is no change, though a standby refuses it. A function that a SELECT
 *     calls counts as one that only reads
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

  @Override
  public Place place(String name) {
    long lines =
        pieces.stream()
            .limit(Math.max(0, names.indexOf(name) + 1))
            .flatMapToInt(String::chars)
            .filter(c -> c == '\n')
            .count();
    return new Place(place.file(), place.line() + (int) lines);
  }

  /** The text with this in place of each parameter. */
  public String with(String placeholder) {
    return String.join(placeholder, pieces);
  }
}
