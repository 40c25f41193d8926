package io.shardload.workload.statements.parameters;

import io.shardload.data.Bits;
import io.shardload.data.Draws;
import io.shardload.workload.Model;
import io.shardload.workload.statements.port.ValueType;
import java.util.HexFormat;
import java.util.Optional;

/** The type {@code code}: one of a number of texts, which grows with the table. */
final class Codes {
  private static final String VALUES = "values";
  private static final String ROWS = "rows";
  private static final String WITHIN = "within";

  private Codes() {}

  /**
   * 16 hexadecimal digits.
   *
   * @param key of the texts: another column has other ones
   * @param groups rows of each have texts of their own; null if all rows have the same
   * @param distinct number of different texts, in each group
   */
  private record OfCode(long key, References.InTurn groups, long distinct) implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.TEXT;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      long group = groups == null ? 0 : groups.of(occasion);
      return HexFormat.of().toHexDigits(Bits.hash(key, group, draws.next(distinct)));
    }
  }

  /**
   * @param seed of the workload
   */
  static Optional<Parameter> of(Spec spec, References.Targets targets, long seed) {
    if (!spec.use().ofRows()) {
      spec.problem(VALUES, "belong to rows; a parameter takes them with type like or reference");
      return Optional.empty();
    }
    long values = spec.integer(VALUES, 1, 1, Model.MOST_DOCUMENTS);
    long rows = spec.integer(ROWS, 0, 1, Model.MOST_DOCUMENTS);
    if (!spec.has(VALUES) && !spec.has(ROWS)) {
      spec.problem(VALUES, "is missing: set values, rows or both");
    }
    References.InTurn groups = null;
    if (spec.has(WITHIN)) {
      Optional<Siblings.Sibling> sibling = targets.sibling(spec, WITHIN);
      if (sibling.isPresent()
          && sibling.get() instanceof Siblings.OfRow row
          && row.column().values() instanceof References.InTurn inTurn) {
        groups = inTurn;
      } else if (sibling.isPresent()) {
        spec.problem(WITHIN, "must name a reference with distribution: in-turn");
      }
    }
    long own = Math.max(1, groups == null ? targets.rows() : targets.rows() / groups.rows());
    long distinct = rows == 0 ? values : Math.max(1, values * own / rows);
    long stream = Column.stream(spec);
    long key = seed ^ (stream > 0 ? stream : Column.hash(spec.path()));
    return Optional.of(new OfCode(key, groups, distinct));
  }
}
