package io.shardload.driver.mongodb.statements;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoDatabase;
import io.shardload.driver.Clock;
import io.shardload.driver.mongodb.client.ClusterCatalog;
import io.shardload.driver.mongodb.client.Connections;
import io.shardload.driver.mongodb.client.Failures;
import io.shardload.driver.mongodb.client.ServerKind;
import io.shardload.driver.mongodb.facts.MongodbStorage;
import io.shardload.driver.mongodb.schema.Schema;
import io.shardload.driver.mongodb.schema.SchemaBalancer;
import io.shardload.driver.mongodb.schema.SchemaCollection;
import io.shardload.driver.mongodb.schema.SchemaOptions;
import io.shardload.driver.mongodb.statements.command.Operation;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Making;
import io.shardload.workload.Progress;
import io.shardload.workload.ShardShares;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Grouping;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.QueryPlan;
import io.shardload.workload.statements.port.Rehearsal;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.Step;
import io.shardload.workload.statements.port.TableRows;
import io.shardload.workload.statements.port.ValueType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/**
 * The operations before and after a run on collections that a schema file creates, or on existing
 * collections.
 */
public record MongodbStatementAdmin(
    Connections connections, ServerKind kind, SchemaOptions schema, Clock clock)
    implements StatementAdmin {
  private static final String ID = "_id";
  private static final int SAMPLE = 3;

  /** The server ends a batch at 16 MiB, too, so memory is bounded by that. */
  private static final int BATCH = 5_000;

  public MongodbStatementAdmin(Connections connections, ServerKind kind, SchemaOptions schema) {
    this(connections, kind, schema, Clock.SYSTEM);
  }

  @Override
  public List<String> present(List<String> tables) throws CallFailure {
    Set<String> there =
        Failures.translated(
            () -> connections.administrative().listCollectionNames().into(new HashSet<>()));
    return tables.stream().filter(there::contains).toList();
  }

  /** {@inheritDoc} The statements are the collections of schema files. */
  @Override
  public void createTables(List<Statement> statements, Making making, Progress steps)
      throws CallFailure {
    Failures.translate(
        () -> {
          Schema.drop(
              connections::unlimited, making.drop(), schema.waitForBalancer(), clock, steps);
          Schema.create(schemas(statements), making, steps);
        });
  }

  @Override
  public boolean completeTables(List<Statement> statements, Progress steps) throws CallFailure {
    return Failures.translated(() -> Schema.create(schemas(statements), Making.UNRECORDED, steps));
  }

  @Override
  public void checkTables(List<Statement> statements) throws CallFailure {
    Failures.translate(() -> schemas(statements).forEach(Schema::check));
  }

  private List<Schema> schemas(List<Statement> statements) {
    return SchemaCollection.read(entries(statements), kind, schema.zones()).stream()
        .map(
            one ->
                new Schema(
                    connections.unlimited(one.collection()), one, schema.waitForBalancer(), clock))
        .toList();
  }

  /** What schema files say of collections. */
  static List<BsonDocument> entries(List<Statement> statements) {
    return statements.stream()
        .map(one -> BsonDocument.parse(((CommandStatement) one).command().toString()))
        .toList();
  }

  @Override
  public List<Problem> check(
      List<Statement> statements,
      List<TableRows> tables,
      List<Plan> plans,
      Map<String, ValueType> types,
      List<Rehearsal> rehearsals)
      throws CallFailure {
    return Failures.translated(
        () ->
            new StatementCheck(connections, kind, types, clock, new ArrayList<>())
                .check(statements, tables, plans, rehearsals));
  }

  @Override
  public boolean refusesCopies(TableRows rows) {
    // Each row has an _id of its own.
    return true;
  }

  @Override
  public void load(TableRows rows, long from, long end, boolean isContinued, LongConsumer progress)
      throws CallFailure {
    new RowInserts(collection(rows.table())).load(rows, from, end, progress);
  }

  @Override
  public void empty(String table) throws CallFailure {
    Failures.translate(() -> collection(table).deleteMany(new BsonDocument()));
  }

  /** {@inheritDoc} Otherwise the balancer would move chunks during the measurement. */
  @Override
  public void finishLoad(List<String> tables, Progress steps) throws CallFailure {
    if (!kind.sharded()) {
      return;
    }
    for (String table : tables) {
      ClusterCatalog catalog = connections.unlimited(table);
      Failures.translate(
          () -> {
            if (catalog.sharded() != null) {
              new SchemaBalancer(catalog, schema.waitForBalancer(), clock).await(steps, false);
            }
          });
    }
  }

  @Override
  public void read(TableRows table, String key, List<Object> keys, Answers rows)
      throws CallFailure {
    Failures.translate(
        () -> filters(table, key, keys).forEach(filter -> read(showing(), table, filter, rows)));
  }

  /**
   * The fake and FerretDB 1 scan for a list, and FerretDB 1 reads by {@code _id} alone without a
   * scan.
   */
  List<BsonDocument> filters(TableRows table, String key, List<Object> keys) {
    if (keys == null) {
      return List.of(new BsonDocument());
    }
    List<BsonValue> values = keys.stream().map(Values::bson).toList();
    if (kind.fake() || (kind.firstFerretdb() && isId(table, key))) {
      String field = kind.fake() ? key : ID;
      return values.stream().map(value -> new BsonDocument(field, value)).toList();
    }
    return List.of(new BsonDocument(key, new BsonDocument("$in", new BsonArray(values))));
  }

  /** Whether documents have the value of a column as their {@code _id}, too. */
  private static boolean isId(TableRows table, String key) {
    int id = table.columns().indexOf(ID);
    int column = table.columns().indexOf(key);
    return id >= 0
        && LongStream.range(0, SAMPLE).mapToObj(table::row).allMatch(r -> r[id].equals(r[column]));
  }

  /** Hands documents over whole. */
  static void read(MongoDatabase database, TableRows table, BsonDocument filter, Answers rows) {
    List<String> columns = table.columns();
    for (BsonDocument document :
        database.getCollection(table.table(), BsonDocument.class).find(filter).batchSize(BATCH)) {
      Object[] read = new Object[columns.size()];
      for (int i = 0; i < read.length; i++) {
        read[i] = Values.java(document.get(columns.get(i)));
      }
      rows.row(0, Arrays.asList(read), Values.STORED);
    }
  }

  /** {@inheritDoc} Counted document by document: the estimate of a cluster holds orphans. */
  @Override
  public long count(String table) throws CallFailure {
    return Failures.translated(() -> showing().getCollection(table).countDocuments());
  }

  @Override
  public OptionalLong estimate(String table) throws CallFailure {
    return OptionalLong.of(Failures.translated(() -> collection(table).estimatedDocumentCount()));
  }

  @Override
  public Answer ask(Statement statement, Map<String, Object> arguments, int most)
      throws CallFailure {
    if (statement.writes()) {
      throw new IllegalArgumentException(statement.place() + ": writes");
    }
    List<String> names = List.copyOf(arguments.keySet());
    Plan plan = new Plan("", 0, Isolation.NONE, names, List.of(statement), List.of(Step.ANY));
    Program program = Program.of(plan, showing(), Operation.Limits.NONE);
    Object[] given = names.stream().map(arguments::get).toArray();
    BsonValue[] values = Program.values(plan, given, program.slots());
    List<Map<String, Object>> rows = new ArrayList<>();
    Operation.Rows first =
        row -> {
          if (rows.size() < most) {
            Map<String, Object> columns = new LinkedHashMap<>();
            row.forEach((name, value) -> columns.put(name, Values.java(value)));
            rows.add(columns);
          }
        };
    Operation.Binding asked = program.commands().get(0).operation().binding();
    long count = Failures.translated(() -> asked.bind(null, values).run(first));
    return new Answer(rows, count);
  }

  @Override
  public String lacksTransactions() {
    return kind.transactions()
        ? ""
        : kind.describe()
            + " does not support transactions of several statements; they require a"
            + " MongoDB replica set or sharded cluster";
  }

  /** {@inheritDoc} Captured values are not known here; null stands for them. */
  @Override
  public Map<String, Object> explain(Plan plan, Object[] arguments, Optional<Grouping> grouping)
      throws CallFailure {
    StatementEvidence evidence = new StatementEvidence(connections, kind);
    String tenant = grouping.map(Grouping::column).orElse("");
    List<QueryPlan> plans = new ArrayList<>();
    for (Statement statement : plan.statements()) {
      CommandStatement command = (CommandStatement) statement;
      BsonDocument bound = Program.bound(plan, command, arguments);
      plans.add(Failures.translated(() -> evidence.explain(command, bound, tenant)));
    }
    return Failures.translated(() -> evidence.together(plans));
  }

  @Override
  public ShardShares.Shards shards(String table, String column) {
    return () ->
        Failures.translated(
            () -> new MongodbStorage(connections.catalog(table), kind).division(column));
  }

  @Override
  public Map<String, Object> storage(List<String> tables) throws CallFailure {
    return Failures.translated(() -> new StatementEvidence(connections, kind).storage(tables));
  }

  /** With all that was acknowledged in view. */
  private MongoDatabase showing() {
    return connections
        .administrative()
        .withReadConcern(connections.settings().showingAcknowledged());
  }

  private MongoCollection<BsonDocument> collection(String name) {
    return connections.administrative().getCollection(name, BsonDocument.class);
  }
}
