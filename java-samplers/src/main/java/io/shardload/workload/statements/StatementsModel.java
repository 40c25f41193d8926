package io.shardload.workload.statements;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.data.KeyDistribution;
import io.shardload.topology.ShardShare;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Checks;
import io.shardload.workload.Dependents;
import io.shardload.workload.Making;
import io.shardload.workload.Model;
import io.shardload.workload.Part;
import io.shardload.workload.Ports;
import io.shardload.workload.Progress;
import io.shardload.workload.RowVisitor;
import io.shardload.workload.Transaction;
import io.shardload.workload.statements.calls.Calls;
import io.shardload.workload.statements.calls.StatementTransaction;
import io.shardload.workload.statements.folder.Folder;
import io.shardload.workload.statements.folder.Switches;
import io.shardload.workload.statements.folder.Switches.Condition;
import io.shardload.workload.statements.parameters.Entity;
import io.shardload.workload.statements.parameters.Parameters;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Rehearsal;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.StatementStore;
import io.shardload.workload.statements.port.TableRows;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * A folder with its seed and parameters. An ordinal below {@link #documents} is a row of the load,
 * one table after the other; higher ordinals are the new numbers of calls.
 *
 * <p>Immutable, except for a generator's record of the rows that it has added. Thread-safe.
 */
public final class StatementsModel implements Model<StatementStore> {
  private final StatementsWorkload.Source source;
  private final Parameters parameters;
  private final Definitions definitions;
  private final Map<String, SystemPlans> systems;
  private final Tables tables;
  private final List<String> used;
  private final Map<String, Transaction<StatementStore>> transactions;
  private final Map<String, Object> queried;
  private final Optional<EntityRows> entity;
  private StatementsModel ready;

  StatementsModel(
      StatementsWorkload.Source source,
      Parameters parameters,
      Definitions definitions,
      Map<String, SystemPlans> systems) {
    this(
        source,
        parameters,
        definitions,
        systems,
        source.folder().names(SystemPlans.TRANSACTIONS),
        Map.of(),
        false);
  }

  /**
   * @param systems in the order of preference if the server's system is not known yet
   * @param used transactions of the run
   * @param queried results of the queries for values, for the run bundle
   * @param isUnique whether the server refuses a second copy of a row that is followed
   */
  private StatementsModel(
      StatementsWorkload.Source source,
      Parameters parameters,
      Definitions definitions,
      Map<String, SystemPlans> systems,
      List<String> used,
      Map<String, Object> queried,
      boolean isUnique) {
    this.source = source;
    this.parameters = parameters;
    this.definitions = definitions;
    this.systems = systems;
    this.tables = Tables.of(parameters.tables());
    this.used = used;
    this.queried = queried;
    Map<String, List<Plan>> plans = new LinkedHashMap<>();
    systems.values().forEach(system -> system.transactions().forEach(plans::putIfAbsent));
    this.transactions =
        new Calls(
                parameters.byName(),
                source.parameters(),
                tables.rows(),
                source.clockMillis(),
                source.isCompared(),
                parameters.entity().orElse(null),
                definitions.effects(),
                definitions.choices(),
                isUnique)
            .transactions(plans);
    this.entity = parameters.entity().map(one -> new EntityRows(one, tables.rows()));
  }

  @Override
  public Class<StatementStore> port() {
    return StatementStore.class;
  }

  @Override
  public boolean followsDocuments() {
    return entity.isPresent();
  }

  @Override
  public long followed() {
    return entity.map(rows -> rows.entity().rows()).orElse(documents());
  }

  @Override
  public String nameOf(long ordinal) {
    return entity.map(rows -> rows.name(ordinal)).orElse("");
  }

  @Override
  public boolean keepsRecord() {
    return !parameters.existing();
  }

  @Override
  public String hash() {
    return source.folder().hash();
  }

  @Override
  public Transaction<StatementStore> transaction(String name) {
    return transactions.get(name);
  }

  @Override
  public StatementsModel of(List<String> names) {
    for (String name : names) {
      if (source.needs().containsKey(name)) {
        source.needs().get(name).require(source.folder().switches(), "transaction " + name);
      }
      if (!transactions.containsKey(name)) {
        throw choice().noTransaction(name, String.join(" or ", systems.keySet()));
      }
      if (parameters.existing() && !source.mayWrite() && transactions.get(name).writes()) {
        throw new ConfigException(
            "workload.data",
            "is existing data, but transaction %s writes to it: --allow-writes permits these writes"
                .formatted(name));
      }
    }
    return new StatementsModel(source, parameters, definitions, systems, names, queried, false);
  }

  @Override
  public synchronized StatementsModel ready(Ports ports) throws CallFailure {
    if (ready == null) {
      SystemPlans plans = plans(ports);
      StatementAdmin admin = ports.port(StatementAdmin.class);
      QueryValues values = QueryValues.ask(admin, plans, parameters);
      ready =
          new StatementsModel(
              source,
              parameters.with(values.values()),
              definitions,
              Map.of(plans.system(), plans),
              used,
              values.describe(),
              entity.isPresent() && isUnique(admin, entity.get().entity().stored()));
      ready.ready = ready;
    }
    return ready;
  }

  /** Nothing is known of a table that there is not. */
  private static boolean isUnique(StatementAdmin admin, TableRows rows) throws CallFailure {
    return !admin.present(List.of(rows.table())).isEmpty() && admin.refusesCopies(rows);
  }

  private SystemPlans plans(Ports ports) {
    checkSystem(ports);
    return choice().of(ports.port(StatementStore.class).system());
  }

  private SystemChoice choice() {
    return new SystemChoice(source.folder().name(), systems, definitions, used);
  }

  @Override
  public Optional<Checks> checks() {
    return Optional.of(
        new FolderChecks(
            definitions.checks(),
            source.folder().names(SystemPlans.TRANSACTIONS),
            loadedRows(),
            source.folder().switches().values(),
            ports -> plans(ports).checks()));
  }

  private Map<String, Long> loadedRows() {
    Map<String, Long> rows = new LinkedHashMap<>(tables.rowsByTable());
    parameters.omitted().forEach(table -> rows.put(table, 0L));
    return rows;
  }

  @Override
  public Map<String, Object> chosen() {
    return source.folder().switches().values();
  }

  @Override
  public Map<String, String> schema() {
    return source.folder().switches().setBy("schema", source.dataOptions());
  }

  @Override
  public long documents() {
    return tables.rows();
  }

  @Override
  public List<Dependents> dependents() {
    return entity.map(EntityRows::dependents).orElse(List.of());
  }

  @Override
  public long counted() {
    return parameters.counted();
  }

  @Override
  public long bytesPerDocument() {
    long own = entity.map(rows -> rows.entity().meanBytes()).orElse(0L);
    return own > 0 ? own : Math.max(1, tables.meanBytes() * documents() / Math.max(1, counted()));
  }

  @Override
  public KeyDistribution ranks() {
    return entity.map(rows -> rows.entity().ranks()).orElse(KeyDistribution.uniform());
  }

  /**
   * Seed, rows, and hashes of everything that determines the tables: of each schema file, and of
   * the columns of each table. Statements of transactions and checks are not part of it: after
   * editing them, no new load is needed.
   */
  @Override
  public Map<String, String> shape() {
    Map<String, String> shape =
        new LinkedHashMap<>(source.fingerprints(systems.values(), parameters.omitted()));
    shape.put("seed", Long.toString(source.seed()));
    shape.put("documents", Long.toString(counted()));
    entity.ifPresent(rows -> shape.put(FOLLOWED, Long.toString(followed())));
    return shape;
  }

  @Override
  public boolean hashed(String shapeKey) {
    return shapeKey.startsWith(StatementsWorkload.Source.TABLE)
        || shapeKey.startsWith(Folder.SCHEMA + "/");
  }

  @Override
  public boolean follows(String shapeKey, Set<String> others) {
    Set<String> options =
        others.stream()
            .filter(key -> key.startsWith(StatementsWorkload.Source.OPTION))
            .map(key -> key.substring(StatementsWorkload.Source.OPTION.length()))
            .collect(Collectors.toSet());
    return (shapeKey.equals(FOLLOWED) && others.size() > 1) || source.follows(shapeKey, options);
  }

  @Override
  public String option(String shapeKey, String value) {
    if (shapeKey.startsWith(StatementsWorkload.Source.OPTION)) {
      String name = shapeKey.substring(StatementsWorkload.Source.OPTION.length());
      Switches.Switch option = source.folder().switches().byName().get(name);
      return option == null ? "" : option.option(value);
    }
    return switch (shapeKey) {
      case "seed" -> "workload.seed=" + value;
      case "documents" -> "workload.data.documents=" + value;
      default -> "";
    };
  }

  @Override
  public Map<String, Object> describe() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("folder_hash", hash());
    all.put("options", chosen());
    all.put("existing", parameters.existing());
    all.put("documents", counted());
    all.put("tables", tables.rowsByTable());
    all.put("queries", queried);
    entity
        .map(rows -> rows.entity().compressionRatio())
        .ifPresent(ratio -> ratio.ifPresent(one -> all.put("measured_compression_ratio", one)));
    return all;
  }

  @Override
  public void checkSchema(Ports ports, boolean recreate) throws CallFailure {
    schema(ports).check(recreate);
  }

  @Override
  public void checkSystem(Ports ports) {
    source.folder().switches().check(ports.port(StatementStore.class).system());
  }

  @Override
  public List<String> tables() {
    return tables.names();
  }

  @Override
  public boolean createSchema(Ports ports, Making making, Progress steps) throws CallFailure {
    return schema(ports).create(making, steps);
  }

  private ServerSchema schema(Ports ports) {
    return new ServerSchema(
        ports.port(StatementAdmin.class),
        source.folder().name(),
        plans(ports),
        parameters,
        tables,
        used,
        entity.map(rows -> rehearsals(rows, plans(ports))).orElse(List.of()));
  }

  private List<Rehearsal> rehearsals(EntityRows rows, SystemPlans plans) {
    Map<String, SystemPlans> own = Map.of(plans.system(), plans);
    var model = new StatementsModel(source, parameters, definitions, own, used, queried, false);
    return new Rehearsals(rows, definitions).of(model);
  }

  /** The table whose rows are followed. */
  Optional<Entity> entity() {
    return parameters.entity();
  }

  /** The rows of the entity's table, if no other table's rows belong to them. */
  public Optional<TableRows> entityRows() {
    return entity().filter(one -> one.storedChildren().isEmpty()).map(Entity::stored);
  }

  /** Whether a call reads a row of the entity's only table by its key. */
  public boolean readsByKey(String transaction) {
    return entityRows().isPresent()
        && !transactions.get(transaction).writes()
        && entity()
            .map(one -> one.name() + "." + one.keyColumn())
            .filter(
                key ->
                    ((StatementTransaction) transactions.get(transaction))
                        .plans().stream().allMatch(plan -> plan.arguments().contains(key)))
            .isPresent();
  }

  /** Transactions of the run. */
  public List<String> used() {
    return used;
  }

  /**
   * The same for a comparison of systems, whose calls begin at the same times; with all
   * transactions that the server can run.
   */
  public StatementsModel comparing(Ports ports, LongSupplier clockMillis) throws CallFailure {
    String lacking = ports.port(StatementAdmin.class).lacksTransactions();
    String system = ports.port(StatementStore.class).system();
    source.folder().switches().check(system);
    SystemPlans plans = choice().nearest(system).comparing();
    List<String> all =
        plans.transactions().entrySet().stream()
            .filter(one -> isMet(one.getKey()))
            .filter(
                one ->
                    lacking.isEmpty()
                        || one.getValue().stream().noneMatch(plan -> plan.isolation().atomic()))
            .map(Map.Entry::getKey)
            .toList();
    return new StatementsModel(
        source.at(clockMillis),
        parameters,
        definitions,
        Map.of(plans.system(), plans),
        all,
        queried,
        false);
  }

  /** For all transactions of the server's system, independent of the mix. */
  private StatementsModel whole(Ports ports) {
    List<String> all = plans(ports).transactions().keySet().stream().filter(this::isMet).toList();
    return new StatementsModel(source, parameters, definitions, systems, all, queried, false);
  }

  /** Whether a transaction may run with the values of the options. */
  private boolean isMet(String transaction) {
    Condition needed = source.needs().get(transaction);
    return needed == null || needed.met(source.folder().switches());
  }

  /**
   * The server's problems with all statements, including statements that the run does not use, and
   * with each other value of each option.
   */
  public List<String> problems(Ports ports) throws CallFailure {
    Set<String> lines = new LinkedHashSet<>(whole(ports).schema(ports).problems());
    String system = ports.port(StatementStore.class).system();
    var others = source.folder().switches().others(system, source.folder().labels(""));
    for (Map.Entry<String, Switches> other : others.entrySet()) {
      for (String line : problems(ports, other.getValue())) {
        if (!lines.contains(line)) {
          lines.add("%s (with %s)".formatted(line, other.getKey()));
        }
      }
    }
    return List.copyOf(lines);
  }

  private List<String> problems(Ports ports, Switches others) throws CallFailure {
    try {
      StatementsModel model = source.under().apply(others);
      return model.whole(ports).schema(ports).problems();
    } catch (ConfigException e) {
      return e.problems().stream()
          .map(one -> (one.key().isEmpty() ? "" : one.key() + ": ") + one.getMessage())
          .toList();
    }
  }

  /** At most this many first rows of each table and calls of each transaction, by name. */
  public JsonObject preview(Ports ports, int most) throws CallFailure {
    return Examples.preview(whole(ports).ready(ports), parameters.tables(), most);
  }

  @Override
  public long count(Ports ports) throws CallFailure {
    return tables.count(ports.port(StatementAdmin.class));
  }

  @Override
  public void load(Ports ports, long from, long end, LongConsumer progress) throws CallFailure {
    tables.load(ports.port(StatementAdmin.class), from, end, progress);
  }

  @Override
  public void finishLoad(Ports ports, Progress steps) throws CallFailure {
    ports.port(StatementAdmin.class).finishLoad(tables.names(), steps);
  }

  @Override
  public List<Part> parts(Ports ports, int threads) throws CallFailure {
    return entity.orElseThrow().parts(ports.port(StatementAdmin.class), threads);
  }

  @Override
  public void read(Ports ports, PrimitiveIterator.OfLong ordinals, RowVisitor visitor)
      throws CallFailure {
    entity.orElseThrow().read(ports.port(StatementAdmin.class), ordinals, visitor);
  }

  @Override
  public OptionalLong estimate(Ports ports) throws CallFailure {
    return ports.port(StatementAdmin.class).estimate(entity.orElseThrow().entity().table().table());
  }

  @Override
  public Map<String, Map<String, Object>> plans(Ports ports, List<String> names) {
    return Examples.plans(this, ports, names);
  }

  @Override
  public List<ShardShare> placement(Ports ports, int generators) throws CallFailure {
    StatementAdmin admin = ports.port(StatementAdmin.class);
    return entity.isEmpty() ? List.of() : entity.get().placement(admin, generators);
  }

  @Override
  public Map<String, Object> storage(Ports ports) throws CallFailure {
    return ports.port(StatementAdmin.class).storage(tables.names());
  }
}
