package io.shardload.workload.statements.parameters;

import io.shardload.config.ConfigException;
import io.shardload.data.Compression;
import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.workload.ShardShares;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Grouping;
import io.shardload.workload.statements.port.ValueType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.UUID;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The table whose rows are followed: calls insert, update and delete one of them each, and
 * verification reads every one back. A row is a pure function of its number and its edition, which
 * counts its updates. Immutable and thread-safe.
 *
 * @param name by which statements name its columns, as in {@code :posts.title}
 * @param table with the columns that are verified
 * @param stored the same table with all columns
 * @param key index of the column that identifies a row
 * @param edition index of the column with the edition; -1 if there is none
 * @param ranks how calls choose among the rows
 * @param sizedBy index of the column that {@code dataset-size} counts; -1 for all columns
 * @param children the tables whose rows exist as long as the row that they belong to
 */
public record Entity(
    String name,
    Table table,
    Table stored,
    int key,
    int edition,
    KeyDistribution ranks,
    int sizedBy,
    List<EntityChildren> children) {
  /** In place of a column: the edition that the row has before the call. */
  static final String BEFORE = "before";

  private static final long SAMPLE = 64;
  private static final String NAME = "[a-z][a-z0-9_]*";
  private static final String KEY = "key";
  private static final String SIZED_BY = "sized-by";
  private static final String CHANGES = "changes";
  private static final String OF = "of";

  /** A column from whose value the number of the row follows. */
  interface Key extends Parameter {
    /** The number of the row; negative if no row has the value. */
    long rowOf(Object value);
  }

  /** How often the row was updated. */
  record OfEdition(Numbers.Width width) implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.INTEGER;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return width.of(occasion.row().edition());
    }
  }

  /** A column of the row that a call works on, at the edition that it has after the call. */
  private record OfColumn(Column column) implements Parameter {
    @Override
    public ValueType type() {
      return column.values().type();
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return column.at(new Draws(), Occasion.row(occasion.row()));
    }
  }

  private record OfBefore(Numbers.Width width) implements Parameter {
    @Override
    public ValueType type() {
      return ValueType.INTEGER;
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return width.of(occasion.row().before());
    }
  }

  Entity with(List<EntityChildren> own) {
    return new Entity(name, table, stored, key, edition, ranks, sizedBy, List.copyOf(own));
  }

  /** The type {@code like}: what a column may have in the row of the call, drawn by the call. */
  private record Like(String name, Parameter values) implements Parameter {
    @Override
    public ValueType type() {
      return values.type();
    }

    @Override
    public Object draw(Draws draws, Occasion occasion) {
      return values.draw(draws, Occasion.row(occasion.row()));
    }

    @Override
    public Stream<String> needs() {
      return Stream.of(name);
    }
  }

  /**
   * Reads a parameter of the type {@code like}.
   *
   * @param entity of the folder
   */
  static Optional<Parameter> like(Spec spec, Optional<Entity> entity) {
    String name = spec.requires(OF) ? spec.text(OF, "") : "";
    List<String> path = Parameters.path(name);
    Optional<Column> column =
        entity.flatMap(
            one ->
                one.table.made().stream()
                    .filter(made -> path.equals(List.of(one.name, made.name())))
                    .findFirst());
    if (spec.use() != Spec.Use.PARAMETER) {
      spec.problem(OF, "names a row of a call, so like is allowed only for parameters");
    } else if (spec.sound() && column.isEmpty()) {
      spec.problem(OF, "\"%s\" is not a column of a table with the key entity".formatted(name));
    } else if (column.filter(one -> one.values().takesFresh()).isPresent()) {
      spec.problem(OF, "column %s depends on the number of the row alone".formatted(name));
    }
    return column.map(one -> new Like(name, one.values()));
  }

  /** Rows that the load creates. */
  public long rows() {
    return table.rows();
  }

  /**
   * The number of the row of an ordinal.
   *
   * @param documents rows that were loaded into all tables: ordinals from there on are new rows
   */
  public long row(long ordinal, long documents) {
    return ordinal < documents ? ordinal : rows() + ordinal - documents;
  }

  /** The other way round. */
  public long ordinal(long row, long documents) {
    return row < rows() ? row : documents + row - rows();
  }

  /** The name of the column that identifies a row. */
  public String keyColumn() {
    return table.columns().get(key);
  }

  /** What statements name the edition that the row has before the call. */
  public String before() {
    return name + "." + BEFORE;
  }

  /** Mean size of the column that {@code dataset-size} counts; 0 for all columns. */
  public long meanBytes() {
    return sizedBy < 0 ? 0 : Math.round(table.made().get(sizedBy).values().meanLength());
  }

  /** How well that column compresses, measured on a sample; empty for all columns. */
  public OptionalDouble compressionRatio() {
    return sizedBy < 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(
            Compression.deflateRatio(
                LongStream.range(0, Math.min(SAMPLE, rows()))
                    .mapToObj(row -> value(sizedBy, row, 0).toString())
                    .toList()));
  }

  /** The columns by which a row is known: the key and the edition. */
  public List<String> identity() {
    return edition < 0 ? List.of(keyColumn()) : List.of(keyColumn(), table.columns().get(edition));
  }

  /** The value of a column in a row. */
  public Object value(int column, long row, int ofEdition) {
    return table
        .made()
        .get(column)
        .at(new Draws(), Occasion.row(new Occasion.Row(row, ofEdition, ofEdition)));
  }

  /**
   * Groups of rows, to which the rows belong in turn.
   *
   * @param rows that the load makes of each, at least 1
   */
  public record Groups(long count, long rows) {}

  /** The groups that have the same value in a column; empty if it is not a reference in turn. */
  public Optional<Groups> groups(String column) {
    return table.made().stream()
        .filter(one -> one.name().equals(column))
        .map(Column::values)
        .filter(References.InTurn.class::isInstance)
        .map(values -> ((References.InTurn) values).rows())
        .map(count -> new Groups(count, Math.max(1, rows() / count)))
        .findFirst();
  }

  /** The column whose values group the rows, if there is one. */
  public Optional<Grouping> grouping() {
    return groupColumn()
        .map(
            name ->
                new Grouping(
                    name, table.columns().stream().filter(one -> !one.equals(name)).toList()));
  }

  private Optional<String> groupColumn() {
    return table.columns().stream().filter(name -> groups(name).isPresent()).findFirst();
  }

  /** What groups of rows mean for shards; empty unless each is known by a uuid. */
  public Optional<ShardShares> shares(int generators) {
    return groupColumn()
        .filter(name -> table.types().get(table.columns().indexOf(name)) == ValueType.UUID)
        .map(
            name ->
                new ShardShares(
                    rows(),
                    Math.toIntExact(groups(name).orElseThrow().count()),
                    group -> (UUID) value(table.columns().indexOf(name), group, 0),
                    ranks,
                    generators));
  }

  /** Rows that the load makes of each group. */
  public long groupRows() {
    return groupColumn().flatMap(this::groups).map(Groups::rows).orElse(rows());
  }

  /** The number of the row with this key; negative if no row can have it. */
  public long rowOf(Object value) {
    return ((Key) table.made().get(key).values()).rowOf(value);
  }

  /**
   * Whether a column of a row that was read has what was written there.
   *
   * @param index of the column for the equality
   * @param read its value
   */
  public boolean holds(
      Equality equality, int index, Object read, int column, long row, int ofEdition) {
    Occasion.Row occasion = new Occasion.Row(row, ofEdition, ofEdition);
    return table.made().get(column).holds(equality, index, read, occasion);
  }

  /** The types of its columns, by the names that they have in statements. */
  public Map<String, ValueType> types() {
    Map<String, ValueType> types = new HashMap<>();
    for (int i = 0; i < table.columns().size(); i++) {
      types.put(name + "." + table.columns().get(i), table.types().get(i));
    }
    children.forEach(child -> types.putAll(child.types()));
    return types;
  }

  /** The child tables that are loaded. */
  public List<EntityChildren> storedChildren() {
    return children.stream().filter(EntityChildren::stored).toList();
  }

  /** What statements may name. */
  public List<String> parts() {
    List<String> parts = new ArrayList<>();
    table.columns().forEach(column -> parts.add(name + "." + column));
    parts.add(before());
    children.forEach(child -> parts.addAll(child.parts()));
    return parts;
  }

  /** What a statement names by the entity's name and a path; empty if it is something else. */
  Optional<Parameter> named(List<String> path) {
    if (path.size() < 2) {
      return Optional.empty();
    }
    List<String> rest = path.subList(1, path.size());
    return name.equals(path.get(0))
        ? part(rest)
        : children.stream().flatMap(child -> child.named(path.get(0), rest).stream()).findFirst();
  }

  /** The parameter of a column, of a field in it, or of the edition before the call. */
  private Optional<Parameter> part(List<String> path) {
    int index = table.columns().indexOf(path.get(0));
    if (index < 0) {
      return path.equals(List.of(BEFORE)) ? Optional.of(new OfBefore(width())) : Optional.empty();
    }
    Column column = table.made().get(index);
    List<String> fields = path.subList(1, path.size());
    return (fields.isEmpty()
            ? Optional.of(column)
            : Composites.field(column.values(), fields).map(column::with))
        .map(OfColumn::new);
  }

  private Numbers.Width width() {
    return edition >= 0 && table.made().get(edition).values() instanceof OfEdition one
        ? one.width()
        : Numbers.Width.BITS_64;
  }

  /** Reads the key {@code entity} of a table. Collects its problems. */
  static final class Section {
    private final Spec spec;
    private final String name;

    /**
     * @param name of the table
     */
    Section(Spec spec, String name) {
      this.spec = spec;
      this.name = name.substring(name.lastIndexOf('.') + 1);
    }

    String path() {
      return spec.path();
    }

    /** The columns whose values an update changes. */
    List<String> changes() {
      return spec.texts(CHANGES);
    }

    /**
     * The entity without the columns that are not verified.
     *
     * @param whole with all columns
     */
    Optional<Entity> of(Table whole, List<ConfigException> problems) {
      Table table =
          new Table(
              whole.table(), whole.rows(), whole.made().stream().filter(Column::verified).toList());
      List<String> columns = table.columns();
      List<Column> made = table.made();
      if (!name.matches(NAME)) {
        spec.problem(
            KEY, "cannot be used in statements: the table's name is not of the form " + NAME);
      }
      int key = key(table);
      List<Integer> editions = new ArrayList<>();
      for (int i = 0; i < columns.size(); i++) {
        if (made.get(i).values() instanceof OfEdition) {
          editions.add(i);
        }
        if (made.get(i).values().dated()) {
          spec.problems(
              List.of(
                  new ConfigException(
                      spec.path().replaceAll("entity$", "columns.") + columns.get(i),
                      "is relative to the time of the load, so the entity cannot be verified; use"
                          + " instants")));
        }
      }
      for (String change : changes()) {
        change(change, columns, made, key);
      }
      if (editions.size() > 1 || (editions.isEmpty() && !changes().isEmpty())) {
        spec.problem(CHANGES, "needs one column of type edition, which counts the updates");
      }
      if (columns.contains(BEFORE)) {
        spec.problem(
            KEY, "has a column \"before\", which is the name of the edition before a call");
      }
      KeyDistribution ranks = Numbers.ranks(spec);
      int sizedBy = spec.has(SIZED_BY) ? sizedBy(columns, made) : -1;
      problems.addAll(spec.end());
      return spec.sound()
          ? Optional.of(
              new Entity(
                  name,
                  table,
                  whole,
                  key,
                  editions.isEmpty() ? -1 : editions.get(0),
                  ranks,
                  sizedBy,
                  List.of()))
          : Optional.empty();
    }

    private int key(Table table) {
      List<String> columns = table.columns();
      String key =
          spec.text(
              KEY,
              columns.stream()
                  .filter(one -> isKey(table.made().get(columns.indexOf(one))))
                  .findFirst()
                  .orElse(""));
      int index = columns.indexOf(key);
      if (key.isEmpty()) {
        spec.problem(KEY, "is missing: no column is sequential or permuted");
      } else if (index < 0) {
        spec.unknown(KEY, "column", key, columns);
      } else if (!isKey(table.made().get(index))) {
        spec.problem(
            KEY, "column %s is neither sequential nor permuted, so it names no row".formatted(key));
      }
      return index;
    }

    private int sizedBy(List<String> columns, List<Column> made) {
      String name = spec.text(SIZED_BY, "");
      int index = columns.indexOf(name);
      if (index < 0) {
        spec.unknown(SIZED_BY, "column", name, columns);
      } else if (Math.round(made.get(index).values().meanLength()) < 1) {
        spec.problem(SIZED_BY, "column %s is not a text without weights".formatted(name));
      }
      return index;
    }

    private static boolean isKey(Column column) {
      return column.values() instanceof Key;
    }

    private void change(String name, List<String> columns, List<Column> made, int key) {
      int index = columns.indexOf(name);
      if (index < 0) {
        spec.unknown(CHANGES, "column", name, columns);
      } else if (index == key || made.get(index).values().takesFresh()) {
        spec.problem(CHANGES, "column %s depends on the number of the row alone".formatted(name));
      } else if (made.get(index).values() instanceof OfEdition) {
        spec.problem(CHANGES, "column %s is the edition, which changes anyway".formatted(name));
      }
    }
  }
}
