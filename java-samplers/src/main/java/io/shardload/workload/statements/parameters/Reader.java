package io.shardload.workload.statements.parameters;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.data.Bits;
import io.shardload.workload.Model;
import io.shardload.workload.statements.folder.Switches;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads {@code workload.data} and {@code workload.parameters}. Used once. */
final class Reader {
  static final String PARAMETERS = "workload.parameters";
  private static final String NAME = "[a-z][a-z0-9_]*";
  private static final String EXISTING = "existing";
  private static final String TABLES = "tables";
  private static final String DOCUMENTS = "documents";

  /** The command line replaces them with documents. */
  private static final List<String> SIZES = List.of("dataset-size", "ratio-to-ram");

  private static final String ENTITY = "entity";
  private static final String FOR = "for";
  private static final String ROWS = "rows";
  private static final String PER = "per";
  private static final String COUNT = "count";
  private static final String SORTED = "sorted";
  private static final String LOAD = "load";
  private static final String COLUMNS = "columns";

  private final Options parameters;
  private final Options data;
  private final CsvFiles files;
  private final Switches switches;
  private final long seed;
  private final long nowMillis;
  private final List<ConfigException> problems = new ArrayList<>();

  Reader(
      Options parameters, Options data, Path folder, Switches switches, long seed, long nowMillis) {
    this.parameters = parameters;
    this.data = data;
    this.files = new CsvFiles(folder);
    this.switches = switches;
    this.seed = seed;
    this.nowMillis = nowMillis;
  }

  Parameters read() {
    boolean[] existing = {false};
    List<TableSection> sections = new ArrayList<>();
    attempt(() -> existing[0] = data.flag(EXISTING, false));
    attempt(() -> sections.addAll(sections()));
    int before = problems.size();
    attempt(() -> filled(sections));
    if (problems.size() > before) {
      throw ConfigException.of(problems); // What follows from it would be named as well.
    }
    attempt(() -> scale(sections));
    List<TableSection> filled = filled(sections);
    if (existing[0]) {
      for (String key : List.of(TABLES, DOCUMENTS)) {
        if (data.has(key)) {
          refuse(
              data.pathOf(key),
              "cannot be set together with existing: shardload does not generate existing data");
        }
      }
    }
    switches.setBy("workload.data").keySet().forEach(data::has);
    SIZES.stream().filter(data::has).forEach(this::refuseSize);
    attempt(data::rejectUnknown);
    Columns columns = new Columns(filled, existing[0], problems);
    CallParameters ofCall = new CallParameters();
    ofCall.types = new Types(columns, ofCall, files, seed, nowMillis);
    List<Table> tables = columns.read(ofCall.types, seed);
    Map<String, Parameter> byName = ofCall.read();
    addOptions(byName);
    if (!problems.isEmpty()) {
      throw ConfigException.of(problems);
    }
    Map<String, Integer> queries = new LinkedHashMap<>();
    byName.forEach(
        (name, parameter) -> {
          if (parameter instanceof Lists.Asked query) {
            queries.put(name, query.sample());
          }
        });
    columns
        .entity()
        .filter(entity -> byName.containsKey(entity.name()))
        .ifPresent(
            entity ->
                refuse(parameters.pathOf(entity.name()), "is the name of a table with entity"));
    if (!problems.isEmpty()) {
      throw ConfigException.of(problems);
    }
    List<String> omitted =
        filled.stream()
            .filter(one -> one.isStored() && !one.loaded())
            .map(TableSection::name)
            .toList();
    return new Parameters(
        byName, tables, existing[0], queries, columns.entity(), omitted, counted(filled));
  }

  private void addOptions(Map<String, Parameter> byName) {
    switches
        .values()
        .forEach(
            (name, value) -> {
              if (byName.putIfAbsent(name, new Parameters.Option(value)) != null) {
                refuse(parameters.pathOf(name), "is the name of an option as well");
              }
            });
  }

  /** Reads the parameters; one that others name before they do. */
  private final class CallParameters implements Siblings.Lookup {
    private final Map<String, Optional<Parameter>> made = new LinkedHashMap<>();
    private final Set<String> open = new LinkedHashSet<>();
    private final JsonObject all = new JsonObject();
    private Types types;

    Map<String, Parameter> read() {
      for (String name : parameters.keys()) {
        attempt(
            () ->
                all.add(name, switches.filled(parameters.pathOf(name), parameters.subtree(name))));
      }
      Map<String, Parameter> byName = new LinkedHashMap<>();
      for (String name : all.keySet()) {
        if (!name.matches(NAME)) {
          refuse(
              parameters.pathOf(name),
              "the name is not of the form " + NAME + ", such as customer_id");
        }
        parameter(name).ifPresent(parameter -> byName.put(name, parameter));
      }
      return byName;
    }

    private Optional<Parameter> parameter(String name) {
      if (!made.containsKey(name)) {
        open.add(name);
        made.put(
            name,
            types.read(
                new Spec(parameters.pathOf(name), all.get(name), Spec.Use.PARAMETER), problems));
        open.remove(name);
      }
      return made.get(name);
    }

    @Override
    public Optional<Siblings.Sibling> find(Spec spec, String key) {
      String name = spec.text(key, "");
      String root = Parameters.path(name).get(0);
      Optional<Parameter> ofEntity =
          types.targets().entity().flatMap(entity -> entity.named(Parameters.path(name)));
      if (ofEntity.isPresent()) {
        return ofEntity.map(part -> new Siblings.OfCall(name, List.of(), part.type()));
      }
      if (!all.has(root)) {
        spec.unknown(key, "parameter", name, all.keySet());
        return Optional.empty();
      }
      if (open.contains(root)) {
        spec.problem(key, "refers to itself: " + String.join(" -> ", open) + " -> " + root);
        return Optional.empty();
      }
      Optional<Parameter> parameter = parameter(root);
      Optional<Siblings.Sibling> found =
          parameter.flatMap(one -> Parameters.sibling(name, one).map(sibling -> sibling));
      if (parameter.isPresent() && found.isEmpty()) {
        spec.problem(key, "parameter %s has no field \"%s\"".formatted(root, name));
      }
      return found;
    }
  }

  private List<TableSection> sections() {
    List<TableSection> sections = new ArrayList<>();
    String path = data.pathOf(TABLES);
    JsonObject filled = switches.filled(path, data.subtree(TABLES)).getAsJsonObject();
    Options tables = new Options(path, filled);
    for (String name : tables.keys()) {
      attempt(() -> sections.add(section(tables.section(name), name)));
    }
    return sections;
  }

  /** A table of the file; an error in it does not hide errors in its columns. */
  private TableSection section(Options table, String name) {
    long[] rows = {1};
    Per per = per(table);
    if (per == null) {
      attempt(() -> rows[0] = table.integer(ROWS, -1, 0, Model.MOST_DOCUMENTS));
    }
    if (rows[0] < 0) {
      refuse(table.pathOf(ROWS), "is missing");
    }
    JsonObject columns = columns(table.pathOf(COLUMNS), table.subtree(COLUMNS));
    if (columns.size() == 0 && rows[0] > 0) {
      refuse(table.pathOf(COLUMNS), "is missing: shardload cannot generate rows without columns");
    }
    boolean[] isStored = {true};
    attempt(() -> isStored[0] = table.flag(LOAD, true));
    if (!isStored[0] && table.has(ENTITY)) {
      refuse(table.pathOf(LOAD), "cannot be false together with entity: no row could be read back");
    }
    Entity.Section entity =
        table.has(ENTITY)
            ? new Entity.Section(
                new Spec(table.pathOf(ENTITY), table.subtree(ENTITY), Spec.Use.COLUMN), name)
            : null;
    boolean[] loaded = {true};
    if (table.has(FOR)) {
      attempt(() -> loaded[0] = isMet(table.pathOf(FOR), table.subtree(FOR)));
    }
    attempt(() -> table.whole(Options::rejectUnknown));
    return new TableSection(
        name,
        table.pathOf(COLUMNS),
        Math.max(0, rows[0]),
        columns,
        entity,
        isStored[0],
        isStored[0] && loaded[0],
        per,
        null);
  }

  /** The key rows of a table whose rows belong to those of another; null if it is a number. */
  private Per per(Options table) {
    if (!table.isSection(ROWS)) {
      return null;
    }
    Spec spec = new Spec(table.pathOf(ROWS), table.subtree(ROWS), Spec.Use.COLUMN);
    String parent = spec.requires(PER) ? spec.text(PER, "") : "";
    Spec.Range count = spec.range(COUNT, Family.MOST, "rows");
    if (spec.sound() && count.most() == 0) {
      spec.problem(COUNT, "gives no parent any row");
    }
    String sorted = spec.text(SORTED, "");
    problems.addAll(spec.end());
    return new Per(parent, count, sorted);
  }

  /** Without those that are for other values of options. */
  private JsonObject columns(String path, JsonObject all) {
    JsonObject columns = new JsonObject();
    all.asMap()
        .forEach(
            (name, value) -> {
              JsonElement condition = value instanceof JsonObject one ? one.remove(FOR) : null;
              boolean[] has = {true};
              if (condition != null) {
                attempt(() -> has[0] = isMet("%s.%s.%s".formatted(path, name, FOR), condition));
              }
              if (has[0]) {
                columns.add(name, value);
              }
            });
    return columns;
  }

  private boolean isMet(String path, JsonElement condition) {
    return switches.condition(path, condition).met(switches);
  }

  /** Gives each child table its rows, those of parents first. */
  private List<TableSection> filled(List<TableSection> sections) {
    Map<String, TableSection> byName = new LinkedHashMap<>();
    sections.forEach(one -> byName.put(one.name(), one));
    sections.forEach(one -> fill(one, byName, new LinkedHashSet<>()));
    return List.copyOf(byName.values());
  }

  private TableSection fill(TableSection one, Map<String, TableSection> byName, Set<String> below) {
    TableSection known = byName.get(one.name());
    if (one.per() == null || known.family() != null) {
      return known;
    }
    String key = one.path().replaceAll("columns$", "rows.per");
    TableSection parent = byName.get(one.per().parent());
    if (parent == null) {
      throw ConfigException.unknown(key, "table", one.per().parent(), byName.keySet());
    }
    if (!below.add(one.name())) {
      throw new ConfigException(key, "refers to itself: " + String.join(" -> ", below));
    }
    TableSection above = fill(parent, byName, below);
    Spec.Range count = one.per().count();
    Family family =
        Family.of(
            above.name(),
            count.least(),
            count.most(),
            above.rows(),
            Bits.hash(seed, Column.hash(one.name())),
            above.entity() != null || (above.family() != null && above.family().grows()));
    TableSection filled = one.with(family);
    byName.put(one.name(), filled);
    return filled;
  }

  private void refuseSize(String key) {
    refuse(
        data.pathOf(key), "is supported only by the shardload command line; set documents instead");
  }

  /** The rows of tables that are not loaded do not count, but change in proportion. */
  private void scale(List<TableSection> sections) {
    long sum = counted(filled(sections));
    if (!data.has(DOCUMENTS)) {
      if (sum > Model.MOST_DOCUMENTS) {
        refuse(
            data.pathOf(TABLES),
            "have %d rows in total; at most %d are supported".formatted(sum, Model.MOST_DOCUMENTS));
      }
      return;
    }
    long documents = data.integer(DOCUMENTS, sum, 0, Model.MOST_DOCUMENTS);
    long filled = sections.stream().filter(section -> section.loads() > 0).count();
    if (documents == sum) {
      return;
    }
    if (filled == 0) {
      refuse(data.pathOf(DOCUMENTS), "scales the tables, but no table has rows");
    } else if (documents < filled) {
      refuse(
          data.pathOf(DOCUMENTS),
          "%d is too small: %s needs at least one row"
              .formatted(
                  documents,
                  filled == 1 ? "the table" : "each of the %d tables".formatted(filled)));
    } else if (hasFamilies(sections)) {
      List<TableSection> scaled = withFamilies(List.copyOf(sections), documents);
      sections.clear();
      sections.addAll(scaled);
    } else {
      List<Long> scaled =
          Scaling.scaled(sections.stream().map(TableSection::loads).toList(), documents);
      for (int i = 0; i < scaled.size(); i++) {
        // While the number is not known yet, use the maximum for which the CSV files have values.
        long most =
            documents == Model.MOST_DOCUMENTS ? sections.get(i).capacity(files) : Long.MAX_VALUE;
        TableSection one = sections.get(i);
        long other = one.isStored() ? Math.max(1, one.rows() * documents / sum) : one.rows();
        long rows = one.loaded() ? scaled.get(i) : other;
        sections.set(i, one.with(Math.min(most, rows)));
      }
    }
  }

  /** The rows that the key {@code documents} counts. */
  private static long counted(List<TableSection> sections) {
    return sections.stream()
        .mapToLong(hasFamilies(sections) ? TableSection::rows : TableSection::loads)
        .sum();
  }

  private static boolean hasFamilies(List<TableSection> sections) {
    return sections.stream().anyMatch(section -> section.per() != null);
  }

  /**
   * Tables in proportion, with as many rows as fit: child tables have theirs by their parents.
   * Tables that the options or the system leave out count as well, so that each model of the same
   * data has the same parents.
   */
  private List<TableSection> withFamilies(List<TableSection> sections, long documents) {
    long largest =
        sections.stream()
            .filter(one -> one.per() == null)
            .mapToLong(TableSection::rows)
            .max()
            .orElse(0);
    long fits = 0;
    for (long above = documents + 1; above - fits > 1; ) {
      long tried = fits + (above - fits) / 2;
      List<TableSection> scaled = scaled(sections, tried, largest);
      boolean isFit =
          counted(filled(scaled)) <= documents
              && (documents < Model.MOST_DOCUMENTS
                  || scaled.stream().allMatch(one -> one.rows() <= one.capacity(files)));
      fits = isFit ? tried : fits;
      above = isFit ? above : tried;
    }
    if (fits == 0) {
      refuse(
          data.pathOf(DOCUMENTS),
          "%d is too small: one row of each parent table has more rows in all"
              .formatted(documents));
    }
    return scaled(sections, Math.max(1, fits), Math.max(1, largest));
  }

  private static List<TableSection> scaled(List<TableSection> sections, long rows, long largest) {
    return sections.stream()
        .map(
            one ->
                one.rows() == 0 || one.per() != null
                    ? one
                    : one.with(Math.max(1, Math.round((double) one.rows() * rows / largest))))
        .toList();
  }

  private void refuse(String key, String text) {
    problems.add(new ConfigException(key, text));
  }

  private void attempt(Runnable part) {
    try {
      part.run();
    } catch (ConfigException e) {
      problems.addAll(e.problems());
    }
  }

  /**
   * A table of the file.
   *
   * @param path of its columns
   * @param entity null if its rows are not followed
   * @param isStored whether the system has such a table
   * @param loaded whether it is also for the chosen options; others may still refer to it
   * @param per the table to whose rows its rows belong; null if there is none
   * @param family which of them belong to which; null until the rows of that table are known
   */
  record TableSection(
      String name,
      String path,
      long rows,
      JsonObject columns,
      Entity.Section entity,
      boolean isStored,
      boolean loaded,
      Per per,
      Family family) {
    TableSection with(long other) {
      return new TableSection(name, path, other, columns, entity, isStored, loaded, per, family);
    }

    TableSection with(Family own) {
      return new TableSection(name, path, own.rows(), columns, entity, isStored, loaded, per, own);
    }

    /** The rows that the load makes. */
    long loads() {
      return loaded ? rows : 0;
    }

    /** The number of rows for which its CSV files have values, if each value is used once. */
    long capacity(CsvFiles files) {
      long least = Long.MAX_VALUE;
      for (Map.Entry<String, JsonElement> column : columns.entrySet()) {
        if (column.getValue() instanceof JsonObject spec
            && spec.has(Lists.FILE)
            && spec.has(Numbers.DISTRIBUTION)
            && spec.get(Numbers.DISTRIBUTION).equals(new JsonPrimitive(Lists.SEQUENTIAL))) {
          least = Math.min(least, lines(files, spec.get(Lists.FILE)));
        }
      }
      return least;
    }

    /** Values of an invalid file do not matter: the column's reader refuses the file. */
    private static long lines(CsvFiles files, JsonElement file) {
      return Optional.of(file)
          .filter(JsonElement::isJsonPrimitive)
          .flatMap(name -> files.size(name.getAsString()))
          .orElse(Long.MAX_VALUE);
    }
  }

  /**
   * The key {@code rows} of a child table.
   *
   * @param count of rows per row of the parent
   * @param sorted the column in whose order repeated statements visit the rows of a parent; empty
   *     for the order of the rows
   */
  record Per(String parent, Spec.Range count, String sorted) {}
}
