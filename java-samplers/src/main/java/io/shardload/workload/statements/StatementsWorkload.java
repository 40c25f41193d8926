package io.shardload.workload.statements;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.Sha256;
import io.shardload.config.ConfigException;
import io.shardload.config.Options;
import io.shardload.workload.statements.folder.Folder;
import io.shardload.workload.statements.folder.ShippedFolder;
import io.shardload.workload.statements.folder.Switches;
import io.shardload.workload.statements.folder.Switches.Condition;
import io.shardload.workload.statements.parameters.Parameters;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** A workload whose tables and statements are files of one folder. */
public final class StatementsWorkload {
  private static final String ROOT = "SHARDLOAD_ROOT";
  private static final String NAME = "[a-z][a-z0-9-]*";
  private static final String NEEDS = "needs";

  private final String name;
  private final Folder folder;
  private final List<String> systems;
  private final Options work;
  private final JsonObject tables;
  private final JsonObject parameters;
  private final JsonObject transactions;
  private final JsonObject checks;
  private final boolean mayWrite;
  private StatementsModel model;

  private StatementsWorkload(
      String name, Folder folder, List<String> systems, Options work, boolean mayWrite) {
    this.name = name;
    this.folder = folder;
    this.systems = systems;
    this.work = work;
    this.tables = work.section("data").subtree("tables");
    this.parameters = work.subtree("parameters");
    this.transactions = work.subtree("transactions");
    this.checks = work.subtree("checks");
    this.mayWrite = mayWrite;
  }

  /**
   * Reads the folder that the section {@code workload} names.
   *
   * @param root the whole configuration
   * @param work its section {@code workload}
   * @param driverSystems names of the systems that the target may be; empty if it takes any
   *     statements: then those of one system are read
   * @param mayWrite whether the run may write to existing data of the user
   * @throws ConfigException all problems of its files
   */
  public static StatementsWorkload read(
      Options root, Options work, List<String> driverSystems, boolean mayWrite) {
    String name = work.requiredText("name");
    if (!name.matches(NAME)) {
      throw new ConfigException(
          work.pathOf("name"), "'" + name + "' is not of the form " + NAME + ", such as my-shop");
    }
    Path path = path(work.requiredText("folder"));
    List<String> systems =
        driverSystems.isEmpty()
            ? Folder.system(path, root.section("mix").keys()).stream().toList()
            : driverSystems;
    Switches switches = Switches.read(root, work, systems);
    Folder folder = Folder.read(path, systems, switches);
    String hash = work.text("hash", folder.hash());
    if (!hash.equals(folder.hash())) {
      throw new ConfigException(
          work.pathOf("folder"), "the folder " + folder.path() + " differs from the controller's");
    }
    return new StatementsWorkload(name, folder, systems, work, mayWrite);
  }

  /** Relative to the checkout, if there is one. */
  private static Path path(String text) {
    Path path = ShippedFolder.path(text);
    return path.isAbsolute()
        ? path
        : Path.of(System.getenv().getOrDefault(ROOT, ""))
            .resolve(path)
            .toAbsolutePath()
            .normalize();
  }

  public String name() {
    return name;
  }

  /** The names of its transactions, in the order for lists. */
  public List<String> transactions() {
    return folder.names(SystemPlans.TRANSACTIONS);
  }

  /**
   * The workload with its data parameters.
   *
   * @param data section {@code workload.data}; unknown keys are refused
   */
  public StatementsModel model(long seed, Options data) {
    if (model == null) {
      model = read(seed, data);
    }
    return model;
  }

  private StatementsModel read(long seed, Options data) {
    boolean existing = data.flag("existing", false);
    List<Parameters> read = new ArrayList<>();
    List<Definitions> defined = new ArrayList<>();
    Map<String, Condition> needs = new TreeMap<>();
    ConfigException.all(
        () ->
            read.add(
                Parameters.read(
                    new Options("workload.parameters", parameters),
                    data,
                    folder.path(),
                    folder.switches(),
                    seed)),
        () -> needs.putAll(needs()),
        () ->
            defined.add(
                Definitions.read(
                    folder
                        .switches()
                        .filled("workload.transactions", transactions)
                        .getAsJsonObject(),
                    transactions(),
                    checks,
                    folder.names(SystemPlans.CHECKS),
                    folder.switches(),
                    existing)));
    Set<String> named = new TreeSet<>(defined.get(0).named());
    folder.all().values().forEach(all -> all.forEach(one -> named.addAll(one.names())));
    Parameters whole = read.get(0).withFields(named);
    Definitions definitions = whole.entity().map(defined.get(0)::with).orElse(defined.get(0));
    CrossCheck.run(folder, definitions, whole, usedBeside(needs), systems);
    Map<String, SystemPlans> plans = new LinkedHashMap<>();
    systems.forEach(
        system -> plans.put(system, SystemPlans.of(system, folder, definitions, whole)));
    return new StatementsModel(
        new Source(
            seed,
            folder,
            parameters,
            tables,
            needs,
            mayWrite,
            others -> under(others, seed),
            System::currentTimeMillis,
            false),
        whole,
        definitions,
        plans);
  }

  /** The values of options that transactions need. */
  private Map<String, Condition> needs() {
    Map<String, Condition> needs = new TreeMap<>();
    List<Runnable> readings = new ArrayList<>();
    for (Map.Entry<String, JsonElement> one : transactions.entrySet()) {
      if (one.getValue() instanceof JsonObject section && section.has(NEEDS)) {
        String path = "workload.transactions." + one.getKey() + "." + NEEDS;
        readings.add(
            () -> needs.put(one.getKey(), folder.switches().condition(path, section.get(NEEDS))));
      }
    }
    ConfigException.all(readings.toArray(new Runnable[0]));
    return needs;
  }

  /** The options that workload.yml uses. */
  private Set<String> usedBeside(Map<String, Condition> needs) {
    Set<String> names = new TreeSet<>();
    needs.values().forEach(one -> names.addAll(one.values().keySet()));
    names.addAll(Source.optionsOf(tables));
    names.addAll(Switches.namedIn(parameters));
    names.addAll(Switches.namedIn(transactions));
    names.addAll(folder.named(""));
    return names;
  }

  /** The model with other values of the options. */
  private StatementsModel under(Switches others, long seed) {
    return new StatementsWorkload(name, folder.with(others), systems, work, mayWrite)
        .read(seed, work.section("data"));
  }

  /**
   * The source of a model.
   *
   * @param parameters section {@code workload.parameters}
   * @param tables section {@code workload.data.tables}
   * @param needs the values of options that transactions need, by their names
   * @param mayWrite whether the run may write to existing data of the user
   * @param under the same folder with other values of its options
   * @param clockMillis the time of day
   * @param isCompared whether other systems make the same calls
   */
  record Source(
      long seed,
      Folder folder,
      JsonObject parameters,
      JsonObject tables,
      Map<String, Condition> needs,
      boolean mayWrite,
      Function<Switches, StatementsModel> under,
      LongSupplier clockMillis,
      boolean isCompared) {
    static final String TABLE = "table ";
    static final String OPTION = "option ";
    private static final String FOR = "for";

    /** The same for calls that other systems make, too. */
    Source at(LongSupplier clock) {
      return new Source(seed, folder, parameters, tables, needs, mayWrite, under, clock, true);
    }

    /**
     * Fingerprints of everything that determines the tables and their rows, by what they are of,
     * and the options among it.
     *
     * @param omitted tables that are not loaded
     */
    Map<String, String> fingerprints(Collection<SystemPlans> systems, Collection<String> omitted) {
      Map<String, String> all = new TreeMap<>();
      for (SystemPlans system : systems) {
        system.schema().stream()
            .collect(Collectors.groupingBy(one -> one.place().file()))
            .forEach((file, statements) -> all.put(file, new Fingerprint().add(statements).hex()));
      }
      int place = 0;
      for (Map.Entry<String, JsonElement> table : tables.entrySet()) {
        // The place counts: an interrupted load goes on after so many rows of all tables.
        JsonElement filled = folder.switches().filled("", table.getValue());
        Fingerprint rows = new Fingerprint().add(place++ + " " + filled);
        if (!omitted.contains(table.getKey())) {
          all.put(TABLE + table.getKey(), rows.addFiles(folder.path(), table.getValue()).hex());
        }
      }
      dataOptions()
          .forEach(name -> all.put(OPTION + name, folder.switches().byName().get(name).value()));
      return all;
    }

    /** The options of which other values mean other data. */
    Set<String> dataOptions() {
      Set<String> names = folder.switched(Folder.SCHEMA);
      names.addAll(folder.named(""));
      names.addAll(optionsOf(tables));
      return names;
    }

    private static Set<String> optionsOf(JsonObject tables) {
      Set<String> names = new TreeSet<>();
      tables.keySet().forEach(table -> names.addAll(optionsOf(tables, table)));
      return names;
    }

    /** The options that decide whether a table and its columns are loaded, and their values. */
    private static Set<String> optionsOf(JsonObject tables, String table) {
      Options section = new Options("", tables).section(table);
      Set<String> names = Switches.namedIn(tables.get(table));
      names.addAll(section.subtree(FOR).keySet());
      for (JsonElement column : section.subtree("columns").asMap().values()) {
        if (column instanceof JsonObject one && one.get(FOR) instanceof JsonObject condition) {
          names.addAll(condition.keySet());
        }
      }
      return names;
    }

    /** The options that decide how many rows are loaded. */
    private Set<String> optionsOfRows() {
      JsonObject rows = tables.deepCopy();
      rows.asMap().values().stream()
          .map(JsonElement::getAsJsonObject)
          .forEach(table -> List.of("columns", "entity").forEach(table::remove));
      rows.asMap()
          .values()
          .removeIf(one -> !new Options("", one.getAsJsonObject()).flag("load", true));
      return optionsOf(rows);
    }

    /** Whether a difference of a fingerprint follows from another value of these options. */
    boolean follows(String fingerprint, Set<String> options) {
      if (fingerprint.startsWith(TABLE)) {
        Set<String> names = optionsOf(tables, fingerprint.substring(TABLE.length()));
        return names.stream().anyMatch(options::contains);
      }
      return fingerprint.equals("documents")
          ? optionsOfRows().stream().anyMatch(options::contains)
          : options.stream().anyMatch(name -> fingerprint.contains("/" + name + "="))
              || folder.named(fingerprint).stream().anyMatch(options::contains);
    }
  }

  /**
   * SHA-256 over everything that determines the data: a different hash means different tables or
   * rows.
   */
  static final class Fingerprint {
    private final MessageDigest digest = Sha256.digest();

    /** Adds a text and an end marker. */
    Fingerprint add(String text) {
      digest.update(text.getBytes(StandardCharsets.UTF_8));
      digest.update((byte) 0);
      return this;
    }

    /** Adds the statements that create the tables; comments and positions do not count. */
    Fingerprint add(List<Statement> schema) {
      for (Statement statement : schema) {
        add(
            statement instanceof SqlStatement sql
                ? sql.with("?")
                : ((CommandStatement) statement).command().toString());
      }
      return this;
    }

    /** Adds the contents of the CSV files whose values the columns use. */
    Fingerprint addFiles(Path folder, JsonElement section) {
      if (section instanceof JsonObject object) {
        JsonElement file = object.get("file");
        if (file != null && file.isJsonPrimitive()) {
          addFile(folder.resolve(file.getAsString()));
        }
        object.asMap().values().forEach(value -> addFiles(folder, value));
      }
      return this;
    }

    private void addFile(Path file) {
      try {
        digest.update(Files.readAllBytes(file));
        digest.update((byte) 0);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Returns the hash in hexadecimal; the fingerprint must not be used afterwards. */
    String hex() {
      return HexFormat.of().formatHex(digest.digest());
    }
  }
}
