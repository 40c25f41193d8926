package io.shardload.workload.statements.port;

import java.util.List;

/**
 * A statement of SQL, cut at its parameters.
 *
 * @param place the line of its first word; line ends are the same as in the file, so the line of a
 *     character is this line plus the line ends before the character
 * @param pieces the text between the parameters: one more than {@code names}; without the closing
 *     semicolon and without comments. A question mark is an operator, see {@code
 *     io.shardload.workload.statements.sql.Operators}
 * @param names of the parameters
 * @param verb the first word that is not part of a CTE's definition, in lower case: {@code select},
 *     {@code insert}, {@code update}, {@code delete}, {@code merge}, {@code values}, {@code table},
 *     or another that only a schema may have
 * @param writes whether it or one of its CTEs inserts, updates, deletes or merges. Locking rows
 *     ({@code FOR UPDATE}) does not count as a change, although a standby refuses it. A function
 *     that a SELECT calls counts as read-only
 */
public record SqlStatement(
    Place place, List<String> pieces, List<String> names, String verb, boolean writes)
    implements Statement {

  public SqlStatement {
    pieces = List.copyOf(pieces);
    names = List.copyOf(names);
    if (pieces.size() != names.size() + 1) {
      throw new IllegalArgumentException(
          "the number of pieces must exceed the number of names by one");
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

  /** The text with this replacement for each parameter. */
  public String with(String placeholder) {
    return String.join(placeholder, pieces);
  }
}
