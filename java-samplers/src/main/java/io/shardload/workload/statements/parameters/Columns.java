package io.shardload.workload.statements.parameters;

import com.google.gson.JsonElement;
import io.shardload.config.ConfigException;
import io.shardload.workload.statements.parameters.Reader.TableSection;
import io.shardload.workload.statements.parameters.References.Target;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Reads the columns of all tables, referenced columns first. Not thread-safe. */
final class Columns implements References.Targets {
  private static final String ONLY_FOLLOWED = "is allowed only in a table with the key entity";

  private final Map<String, TableSection> tables = new LinkedHashMap<>();
  private final boolean existing;
  private final List<ConfigException> problems;
  private final Map<String, Optional<Column>> made = new HashMap<>();
  private final List<String> open = new ArrayList<>();
  private Types types;
  private long seed;

  private final List<Entity> entities = new ArrayList<>();

  /** Whose column is being read. */
  private TableSection current;

  /**
   * @param existing whether the data is existing data of the user, so that no table is known
   * @param problems receives the problems of the columns
   */
  Columns(List<TableSection> sections, boolean existing, List<ConfigException> problems) {
    sections.forEach(section -> tables.put(section.name(), section));
    this.existing = existing;
    this.problems = problems;
  }

  List<Table> read(Types allTypes, long seedOfAll) {
    this.types = allTypes;
    this.seed = seedOfAll;
    List<Table> read = new ArrayList<>();
    List<Table> all = new ArrayList<>();
    for (TableSection table : tables.values()) {
      List<Column> columns = new ArrayList<>();
      for (String name : table.columns().keySet()) {
        column(table, name).ifPresent(columns::add);
      }
      Table made = new Table(table.name(), table.rows(), columns);
      all.add(made);
      if (!table.loaded()) {
        continue;
      }
      read.add(made);
      boolean whole = columns.size() == table.columns().size();
      if (table.entity() != null && whole) {
        table.entity().of(made, problems).ifPresent(entities::add);
      }
    }
    entities.replaceAll(entity -> entity.with(children(entity, all)));
    if (entities.size() > 1) {
      problems.add(
          new ConfigException(
              "workload.data.tables.%s.entity".formatted(entities.get(1).table().table()),
              "is a second entity; a folder has one"));
    }
    return read;
  }

  /** {@inheritDoc} Known after {@link #read}. */
  @Override
  public Optional<Entity> entity() {
    return entities.stream().findFirst();
  }

  @Override
  public Optional<Target> find(Spec spec, boolean needsRows) {
    boolean complete = spec.requires(References.TABLE);
    complete &= spec.requires(References.COLUMN);
    String name = spec.text(References.TABLE, "");
    String column = spec.text(References.COLUMN, "");
    if (!complete) {
      return Optional.empty();
    }
    TableSection table = tables.get(name);
    if (table == null) {
      if (existing) {
        spec.problem(
            References.TABLE,
            "\"%s\" is not known, because the data is existing; use type query to select its values"
                .formatted(name));
      } else {
        spec.unknown(References.TABLE, "table", name, tables.keySet());
      }
      return Optional.empty();
    }
    if (needsRows && table.rows() == 0) {
      spec.problem(References.TABLE, "\"" + name + "\" has no rows to refer to");
    }
    Optional<Column> found = named(spec, References.COLUMN, table, column);
    if (found.isPresent() && found.get().values().dated()) {
      spec.problem(
          References.COLUMN,
          "\"%s\" is relative to the time of the load, which is not known during a run"
              .formatted(column));
      return Optional.empty();
    }
    return found.map(one -> new Target(name, one, table.rows()));
  }

  /** The tables whose rows belong to the rows of the entity. */
  private List<EntityChildren> children(Entity entity, List<Table> all) {
    List<EntityChildren> children = new ArrayList<>();
    for (Table table : all) {
      TableSection section = tables.get(table.table());
      if (section.family() == null || !section.family().parent().equals(entity.table().table())) {
        continue;
      }
      int key = index(table, column -> column.values() instanceof Entity.Key);
      int link =
          index(
              table,
              column ->
                  column.values() instanceof Children.OfParent of
                      && of.column().name().equals(entity.keyColumn()));
      if (section.loaded() && (key < 0 || link < 0)) {
        problems.add(
            new ConfigException(
                section.path(),
                key < 0
                    ? "lack a sequential or permuted column, by which a row of a table with entity is known"
                    : "lack a column of type parent with column: " + entity.keyColumn()));
        continue;
      }
      String name = table.table().substring(table.table().lastIndexOf('.') + 1);
      children.add(
          new EntityChildren(
              name, table, key, link, section.family(), sorted(section, table), section.loaded()));
    }
    return children;
  }

  /** The index of the column that gives the order of repetitions; -1 if there is none. */
  private int sorted(TableSection section, Table table) {
    String column = section.per().sorted();
    int index = table.columns().indexOf(column);
    if (!column.isEmpty() && index < 0) {
      problems.add(
          ConfigException.unknown(
              section.path().replaceAll("columns$", "rows.sorted"),
              "column",
              column,
              table.columns()));
    }
    return index;
  }

  private static int index(Table table, Predicate<Column> wanted) {
    List<Column> made = table.made();
    return IntStream.range(0, made.size())
        .filter(i -> wanted.test(made.get(i)))
        .findFirst()
        .orElse(-1);
  }

  @Override
  public Optional<Parameter> related(String type, Spec spec) {
    Family own = current.family();
    if (type.equals("children")) {
      return ofChildren(spec);
    }
    if (own == null) {
      spec.problem(
          "type", type + " is allowed only in a table with rows: {per: TABLE, count: ...}");
      return Optional.empty();
    }
    if (type.equals("position")) {
      return Optional.of(
          new Children.OfPosition(own, spec.integer(Children.FROM, 1, 0, Integer.MAX_VALUE)));
    }
    TableSection parent = tables.get(own.parent());
    String name = spec.requires(Children.COLUMN) ? spec.text(Children.COLUMN, "") : "";
    if (name.isEmpty()) {
      return Optional.empty();
    }
    if (changes(parent, name)) {
      spec.problem(
          Children.COLUMN,
          "column %s of %s changes with its updates".formatted(name, own.parent()));
    }
    return named(spec, Children.COLUMN, parent, name)
        .map(column -> new Children.OfParent(own, column));
  }

  private Optional<Parameter> ofChildren(Spec spec) {
    String name = spec.requires(Children.TABLE) ? spec.text(Children.TABLE, "") : "";
    List<String> names = spec.texts(Children.COLUMNS);
    TableSection child = tables.get(name);
    if (name.isEmpty()) {
      return Optional.empty();
    }
    if (child == null
        || child.family() == null
        || !child.family().parent().equals(current.name())) {
      List<String> known =
          tables.values().stream()
              .filter(one -> one.family() != null && one.family().parent().equals(current.name()))
              .map(TableSection::name)
              .toList();
      spec.unknown(Children.TABLE, "child table", name, known);
      return Optional.empty();
    }
    List<Column> columns = new ArrayList<>();
    for (String column : names.isEmpty() ? child.columns().keySet() : names) {
      Optional<Column> one = named(spec, Children.COLUMNS, child, column);
      one.filter(made -> !names.isEmpty() || !(made.values() instanceof Children.OfParent))
          .ifPresent(columns::add);
    }
    return Optional.of(new Children.OfChildren(child.family(), List.copyOf(columns)));
  }

  @Override
  public long rows() {
    return current.rows();
  }

  @Override
  public Optional<Siblings.Sibling> sibling(Spec spec, String key) {
    return named(spec, key, current, spec.text(key, "")).map(Siblings.OfRow::new);
  }

  /** A column, or {@code column.field} of an object. */
  private Optional<Column> named(Spec spec, String key, TableSection table, String name) {
    if (table.columns().has(name)) {
      return column(table, name);
    }
    List<String> path = List.of(name.split("\\.", -1));
    if (!table.columns().has(path.get(0))) {
      spec.unknown(key, "column", name, table.columns().keySet());
      return Optional.empty();
    }
    Optional<Column> object = column(table, path.get(0));
    Optional<Column> field =
        object.flatMap(
            one -> Composites.field(one.values(), path.subList(1, path.size())).map(one::with));
    if (object.isPresent() && field.isEmpty()) {
      spec.problem(key, "column %s has no field \"%s\"".formatted(path.get(0), name));
    }
    return field;
  }

  private static String key(TableSection table, String column) {
    return table.name() + "." + column;
  }

  private Optional<Column> column(TableSection table, String name) {
    String key = key(table, name);
    Optional<Column> known = made.get(key);
    if (known != null) {
      return known;
    }
    if (open.contains(key)) {
      List<String> circle = new ArrayList<>(open.subList(open.indexOf(key), open.size()));
      circle.add(key);
      problems.add(
          new ConfigException(
              table.path() + "." + name, "refers to itself: " + String.join(" -> ", circle)));
      return Optional.empty();
    }
    open.add(key);
    TableSection outer = current;
    current = table;
    JsonElement element = table.columns().get(name);
    Spec spec = new Spec(table.path() + "." + name, element, Spec.Use.COLUMN);
    long stream = Column.stream(spec);
    boolean verified = spec.flag(Column.VERIFY, true);
    if (!verified && table.entity() == null) {
      spec.problem(Column.VERIFY, ONLY_FOLLOWED);
    }
    Optional<Column> column =
        types
            .read(spec, problems)
            .map(
                values ->
                    Column.of(
                        seed, stream, table.name(), name, values, changes(table, name), verified));
    column.ifPresent(one -> longEnough(table, one, spec));
    if (table.entity() == null
        && column.isPresent()
        && column.get().values() instanceof Entity.OfEdition) {
      problems.add(new ConfigException(spec.path() + ".type", "edition " + ONLY_FOLLOWED));
    }
    current = outer;
    open.remove(key);
    made.put(key, column);
    return column;
  }

  private static boolean changes(TableSection table, String name) {
    return table.entity() != null && table.entity().changes().contains(name);
  }

  private void longEnough(TableSection table, Column column, Spec spec) {
    if (column.values() instanceof Lists.InTurn csv && csv.list().size() < table.rows()) {
      problems.add(
          new ConfigException(
              spec.path() + "." + Lists.FILE,
              "the CSV is too short: it has %d values, but %s has %d rows"
                  .formatted(csv.list().size(), table.name(), table.rows())));
    }
  }
}
