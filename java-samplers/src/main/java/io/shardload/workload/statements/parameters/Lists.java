package io.shardload.workload.statements.parameters;

import io.shardload.config.ConfigException;
import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.workload.statements.port.ValueType;
import java.util.List;
import java.util.Optional;

/** The types {@code csv} and {@code query}: values of a list. */
final class Lists {
  static final String FILE = "file";
  static final String SEQUENTIAL = "sequential";
  private static final String COLUMN = "column";
  private static final int DEFAULT_SAMPLE = 10_000;
  private static final int MOST_SAMPLE = 1_000_000;

  private Lists() {}

  /** Values of a list that is available. */
  sealed interface Listed extends Parameter permits Any, InTurn {
    ValueList list();

    @Override
    default ValueType type() {
      return list().type();
    }
  }

  /** Any value of the list. */
  record Any(ValueList list, KeyDistribution ranks) implements Listed {
    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return list.get((int) ranks.draw(draws, list.size()));
    }
  }

  /** Each value once, by the new number or the number of the row. */
  record InTurn(ValueList list) implements Listed {
    @Override
    public boolean takesFresh() {
      return true;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      long number = References.fresh(occasion);
      if (number >= list.size()) {
        throw new IllegalStateException(
            "%s: the CSV is too short: it has %d values, but value number %d is needed"
                .formatted(list.source(), list.size(), number + 1));
      }
      return list.get((int) number);
    }
  }

  /** A parameter that needs the answer of a query, which runs once before the load. */
  interface Asked extends Parameter {
    /** The maximum number of rows of the answer. */
    int sample();

    /**
     * The same parameter with the answer.
     *
     * @param key of the parameter, for messages about the values
     * @throws ConfigException the values do not fit
     */
    Parameter with(String key, List<Object> returned);
  }

  /** Any value of a query's answer, after the query was run. */
  record Query(ValueType type, KeyDistribution ranks, int sample, Optional<ValueList> list)
      implements Asked {
    @Override
    public Query with(String key, List<Object> returned) {
      return new Query(type, ranks, sample, Optional.of(ValueList.ofQuery(key, type, returned)));
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      ValueList values =
          list.orElseThrow(() -> new IllegalStateException("the query was not run yet"));
      return values.get((int) ranks.draw(draws, values.size()));
    }
  }

  /** Empty if the file is known to be wrong. */
  static Optional<Parameter> csv(Spec spec, CsvFiles files) {
    List<String> distributions =
        spec.use() == spec.use().field()
            ? List.of(Numbers.UNIFORM, Numbers.ZIPFIAN)
            : List.of(Numbers.UNIFORM, Numbers.ZIPFIAN, SEQUENTIAL);
    String distribution = spec.choice(Numbers.DISTRIBUTION, Numbers.UNIFORM, distributions);
    KeyDistribution ranks =
        distribution.equals(Numbers.ZIPFIAN) ? Numbers.zipfian(spec) : KeyDistribution.uniform();
    ValueType as = as(spec);
    String column = spec.text(COLUMN, "");
    boolean complete = spec.requires(FILE);
    complete &= spec.requires(COLUMN);
    if (!complete) {
      return Optional.empty();
    }
    Optional<Csv> csv = files.find(spec.path() + "." + FILE, spec.text(FILE, ""));
    if (csv.isPresent() && !csv.get().columns().contains(column)) {
      spec.unknown(COLUMN, "column", column, csv.get().columns());
    }
    if (csv.isEmpty() || !spec.sound()) {
      return Optional.empty();
    }
    ValueList list = csv.get().values(column, as);
    return Optional.of(distribution.equals(SEQUENTIAL) ? new InTurn(list) : new Any(list, ranks));
  }

  static Query query(Spec spec) {
    if (spec.use() != Spec.Use.PARAMETER) {
      spec.problem("type", "query is allowed only for parameters");
    }
    return new Query(
        as(spec),
        Numbers.ranks(spec),
        (int) spec.integer("sample", DEFAULT_SAMPLE, 1, MOST_SAMPLE),
        Optional.empty());
  }

  private static ValueType as(Spec spec) {
    return Conversion.type(spec.choice("as", ValueType.TEXT.label(), Conversion.labels()));
  }
}
