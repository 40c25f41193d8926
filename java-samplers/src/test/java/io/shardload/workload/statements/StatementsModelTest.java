package io.shardload.workload.statements;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import io.shardload.generator.DataSize;
import io.shardload.generator.RunConfig;
import io.shardload.workload.CallFailure;
import io.shardload.workload.DataObject;
import io.shardload.workload.Making;
import io.shardload.workload.Phases;
import io.shardload.workload.Ports;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.StatementStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A whole folder, from its files to what a run does with it; the server is a fake. */
class StatementsModelTest {
  private static final DataObject ORDERS = new DataObject("table", "public.orders", "1", true);

  private static final String DATA =
      "{'tables':{'customers':{'rows':10,'columns':{'id':{'type':'sequential'}}},"
          + "'orders':{'rows':30,'columns':{'id':{'type':'sequential'},"
          + "'customer_id':{'type':'reference','table':'customers','column':'id'}}}}}";
  private static final String PARAMETERS =
      "{'customer':{'type':'reference','table':'customers','column':'id'},"
          + "'order_id':{'type':'sequential','table':'orders','column':'id'}}";

  @TempDir private Path directory;
  private Path shop;
  private final FakeAdmin admin = new FakeAdmin();
  private String system = "postgresql";
  private JsonObject config;

  private final Ports ports =
      new Ports() {
        @Override
        public <P> P port(Class<P> type) {
          return type.cast(type == StatementAdmin.class ? admin : store());
        }
      };

  private StatementStore store() {
    return new StatementStore() {
      @Override
      public String system() {
        return system;
      }

      @Override
      public void run(Plan plan, Object[] arguments, Answers answers, Phases phases) {
        throw new AssertionError("nobody calls");
      }
    };
  }

  @BeforeEach
  void write() {
    shop = directory.resolve("shop");
    file("workload.yml", "# stresses nothing\n");
    file(
        "schema/postgresql.sql",
        "CREATE TABLE customers (id bigint);\nCREATE TABLE orders (id bigint);\n");
    file(
        "transactions/find-customer/postgresql.sql",
        "SELECT id FROM customers WHERE id = :customer;\n");
    file(
        "transactions/place-order/postgresql.sql",
        """
        SELECT balance FROM customers WHERE id = :customer;
        INSERT INTO orders VALUES (:order_id, :balance);
        """);
    file("checks/orders-there/postgresql.sql", "SELECT 1 WHERE :done_place_order > 9;\n");
    config =
        BundleFixture.parse(
            "{'run':{'id':'r'},'target':{'driver':'postgresql','url':'postgresql://localhost/x','user':'u'},"
                + "'workload':{'name':'shop','seed':1,'data':"
                + DATA
                + ",'parameters':"
                + PARAMETERS
                + ",'transactions':{'find-customer':{'rows':'one','equal':{'id':'customer'}},"
                + "'place-order':{'isolation':'default','steps':[{'rows':'one','capture':"
                + "{'balance':'balance'}},{}]}}},"
                + "'mix':{'find-customer':90,'place-order':10},"
                + "'load':{'model':'closed','workers':1,'generators':1,'generator':0,'segments':["
                + "{'name':'hold','kind':'hold','seconds':1,'from_workers':1,'to_workers':1}]}}");
    work().addProperty("folder", shop.toString());
  }

  private JsonObject work() {
    return config.getAsJsonObject("workload");
  }

  private void file(String name, String text) {
    try {
      Path file = shop.resolve(name);
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private StatementsModel model() {
    return (StatementsModel) RunConfig.read(config).model();
  }

  private List<String> problems() {
    ConfigException found = refusalOf(this::model);
    assertThat(found).as("nothing was refused").isNotNull();
    return found.problems().stream().map(one -> one.key() + ": " + one.getMessage()).toList();
  }

  @Test
  void theFolderIsTheWorkload() throws Exception {
    RunConfig read = RunConfig.read(config);
    assertThat(read.workload()).isEqualTo("shop");
    StatementsModel model = (StatementsModel) read.model();
    assertThat(model.documents()).isEqualTo(40);
    assertThat(model.transaction("place-order").writes()).isTrue();
    assertThat(model.transaction("place-order").takesNewKeys()).isTrue();
    assertThat(model.transaction("find-customer").writes()).isFalse();
    assertThat(model.shape()).containsEntry("documents", "40").containsKey("table orders");
    JsonObject preview = model.preview(ports, 2);
    assertThat(preview.getAsJsonObject("rows").get("customers").toString())
        .isEqualTo("[{\"id\":1},{\"id\":2}]");
    JsonArray calls = preview.getAsJsonObject("calls").getAsJsonArray("place-order");
    assertThat(calls)
        .extracting(call -> call.getAsJsonObject().getAsJsonObject("arguments"))
        .extracting(arguments -> arguments.get("order_id").getAsLong())
        .containsExactly(31L, 32L);
  }

  private List<Long> numbers(StatementsModel model, String name) throws CallFailure {
    return numbers(model.preview(ports, 3).getAsJsonObject("calls"), name);
  }

  /** The numbers of the orders that a preview's calls of a transaction place. */
  private static List<Long> numbers(JsonObject calls, String name) {
    return calls.getAsJsonArray(name).asList().stream()
        .map(call -> call.getAsJsonObject().getAsJsonObject("arguments"))
        .map(arguments -> arguments.get("order_id").getAsLong())
        .toList();
  }

  @Test
  void noTwoCallsOfAPreviewTakeOneNumber() throws Exception {
    file(
        "transactions/place-gift/postgresql.sql",
        "INSERT INTO orders VALUES (:order_id, :customer)");
    JsonObject calls = model().preview(ports, 3).getAsJsonObject("calls");
    List<Long> numbers = new ArrayList<>(numbers(calls, "place-order"));
    numbers.addAll(numbers(calls, "place-gift"));
    assertThat(numbers).containsExactlyInAnyOrder(31L, 32L, 33L, 34L, 35L, 36L);
  }

  @Test
  void eachVariantIsExplained() {
    file(
        "transactions/find-customer/postgresql.sql",
        """
        SELECT id FROM customers WHERE id = :customer
        -- variant
        SELECT id, 2 FROM customers WHERE id = :customer
        -- variant
        SELECT id, 3 FROM customers WHERE id = :customer
        """);
    admin.refusedVariant = 1;
    Map<String, Map<String, Object>> plans = model().plans(ports, List.of("find-customer"));
    assertThat(plans)
        .containsOnlyKeys(
            "find-customer", "find-customer (variant 2)", "find-customer (variant 3)");
    assertThat(plans.get("find-customer (variant 2)"))
        .containsEntry("access", "unknown")
        .containsEntry("text", "not this one");
    assertThat(plans.get("find-customer (variant 3)").get("text").toString()).contains("id, 3");
  }

  @Test
  void tablesAreMadeAndLoadedOnce() throws Exception {
    StatementsModel model = model();
    assertThat(model.createSchema(ports, Making.UNRECORDED, Progress.UNHEARD)).isTrue();
    model.load(ports, 0, 40, done -> {});
    assertThat(admin.done)
        .containsExactly(
            "drop []",
            "CREATE TABLE customers (id bigint)",
            "CREATE TABLE orders (id bigint)",
            "load customers 0 to 10",
            "load orders 0 to 30");
    assertThat(model.createSchema(ports, Making.UNRECORDED, Progress.UNHEARD)).isFalse();
    assertThat(
            model.createSchema(
                ports, new Making(true, List.of(ORDERS), made -> {}), Progress.UNHEARD))
        .isTrue();
    assertThat(admin.done).contains("drop [table public.orders]");
  }

  @Test
  void whatTheServerFindsIsRefusedBeforeAnythingIsMade() {
    admin.problems.add(
        new Problem(new Place("transactions/find-customer/postgresql.sql", 1), "no such column"));
    ConfigException found =
        refusalOf(() -> model().createSchema(ports, Making.UNRECORDED, Progress.UNHEARD));
    assertThat(found)
        .hasMessage("shop/transactions/find-customer/postgresql.sql:1: no such column");
    admin.problems.clear();
    admin.lacksTransactions = "a standalone has none";
    found = refusalOf(() -> model().createSchema(ports, Making.UNRECORDED, Progress.UNHEARD));
    assertThat(found)
        .hasMessageStartingWith("shop/transactions/place-order/postgresql.sql:1: ")
        .hasMessageEndingWith("a standalone has none");
    assertThat(admin.done).isEmpty();
  }

  private void placeOrder(String section, String sql) {
    work().getAsJsonObject("transactions").add("place-order", BundleFixture.parse(section));
    file("transactions/place-order/postgresql.sql", sql);
  }

  /** Mutations: each condition left out. */
  @Test
  void aGuardStandsWhereARefusalIsCertain() {
    String guard = "{'rows':'one','otherwise':'refuse'}";
    String insert = "INSERT INTO orders VALUES (:order_id)";
    String update = "UPDATE customers SET n = 1 WHERE id = :customer";
    String two = "{%s,'steps':[{}," + guard + "]}";
    placeOrder(two.formatted("'isolation':'default'"), insert + ";" + update);
    assertThat(model().transaction("place-order")).isNotNull();
    String key = "workload.transactions.place-order";
    String cannot = ".otherwise: cannot be refuse for transactions/place-order/postgresql.sql:1: ";
    placeOrder(two.formatted("'atomic':false"), insert + ";" + update);
    assertThat(problems())
        .containsExactly(
            key
                + ".steps.1"
                + cannot
                + "a statement before it writes, and without isolation nothing takes this back");
    placeOrder(two.formatted("'atomic':false"), "SELECT 1;" + insert);
    assertThat(model().transaction("place-order")).isNotNull();
    placeOrder("{'rows':'zero-or-one','otherwise':'refuse'}", insert);
    assertThat(problems())
        .containsExactly(
            key
                + cannot
                + "without isolation only a write of 0 rows is certain to have no effect, and rows"
                + " allows 0");
    placeOrder(guard, "WITH x AS (DELETE FROM customers) " + insert);
    assertThat(problems())
        .containsExactly(
            key + cannot + "a CTE that writes, or an upsert, takes effect with 0 rows");
    placeOrder(guard, insert);
    assertThat(model().transaction("place-order")).isNotNull();
  }

  /** Mutations: each condition left out. */
  @Test
  void onlyACallThatInsertsItsNumberFirstIsRepeated() {
    String repeat = "{'isolation':'default','unknown':'repeat','steps':[{},{}]}";
    String insert = "INSERT INTO orders VALUES (:order_id)";
    String update = "UPDATE customers SET n = 1 WHERE id = :customer";
    placeOrder(repeat, "SELECT id FROM customers WHERE id = :customer;" + insert);
    assertThat(model().transaction("place-order")).isNotNull();
    String problem =
        "workload.transactions.place-order.unknown: cannot be repeat: in one database transaction,"
            + " the first statement that writes must insert a sequential parameter or the key"
            + " of an entity, without ON CONFLICT; transactions/place-order/postgresql.sql:1 does not";
    placeOrder(repeat, update + ";" + insert);
    assertThat(problems()).containsExactly(problem);
    placeOrder(repeat, insert + " ON  conflict DO NOTHING;" + update);
    assertThat(problems()).containsExactly(problem);
    placeOrder(repeat.replace("'isolation':'default'", "'atomic':false"), insert + ";" + update);
    assertThat(problems()).containsExactly(problem);
    placeOrder(repeat, "INSERT INTO customers VALUES (:customer);" + insert);
    assertThat(problems()).containsExactly(problem);
    placeOrder("{'unknown':'repeat'}", insert);
    assertThat(model().transaction("place-order")).isNotNull();
  }

  @Test
  void aHashIsPinnedAndComparedOnLoadHosts() {
    JsonObject resolved = DataSize.read(config).resolve(OptionalLong.empty());
    assertThat(resolved.getAsJsonObject("workload").get("hash").getAsString())
        .matches("[0-9a-f]{64}");
    assertThat(
            resolved
                .getAsJsonObject("workload")
                .getAsJsonObject("size")
                .get("documents")
                .getAsLong())
        .isEqualTo(40);
    config = resolved;
    file(
        "transactions/find-customer/postgresql.sql",
        "SELECT id FROM customers WHERE :customer = id");
    assertThat(problems())
        .containsExactly("workload.folder: the folder " + shop + " differs from the controller's");
  }

  @Test
  void theHeaderKnowsTheTablesAndNotTheStatements() {
    Map<String, String> before = model().shape();
    file(
        "transactions/find-customer/postgresql.sql",
        "SELECT id FROM customers WHERE :customer = id");
    assertThat(model().shape()).isEqualTo(before);
    file(
        "schema/postgresql.sql",
        "CREATE TABLE customers (id int);\nCREATE TABLE orders (id bigint);\n");
    String file = "schema/postgresql.sql";
    assertThat(model().shape().get(file)).isNotEqualTo(before.get(file));
    assertThat(model().shape()).containsEntry("table orders", before.get("table orders"));
  }

  @Test
  void dataOfTheUsersOwnIsWrittenToOnlyWithLeave() throws Exception {
    work().add("data", BundleFixture.parse("{'existing':true}"));
    work()
        .add(
            "parameters",
            BundleFixture.parse(
                "{'customer':{'type':'integer','min':1,'max':10},'order_id':{'type':'sequential'}}"));
    assertThat(problems())
        .containsExactly(
            "workload.data: is existing data, but transaction place-order writes to it:"
                + " --allow-writes permits these writes");
    config.getAsJsonObject("run").addProperty("allow_writes", true);
    StatementsModel model = model();
    assertThat(model.keepsRecord()).isFalse();
    assertThat(model.createSchema(ports, Making.UNRECORDED, Progress.UNHEARD)).isFalse();
    assertThat(admin.done).isEmpty();
    JsonObject resolved = DataSize.read(config).resolve(OptionalLong.empty());
    assertThat(resolved.getAsJsonObject("workload").get("data").toString())
        .isEqualTo("{\"existing\":true}");
  }

  @Test
  void aRunOnDataThatIsThereGoesOnBehindTheRowsOfTheLast() throws Exception {
    work().add("data", BundleFixture.parse("{'existing':true}"));
    work()
        .add(
            "parameters",
            BundleFixture.parse(
                "{'customer':{'type':'integer','min':1,'max':10},"
                    + "'order_id':{'type':'sequential','from':'query'}}"));
    config.getAsJsonObject("run").addProperty("allow_writes", true);
    assertThat(problems())
        .containsExactly("workload.parameters.order_id: has no statement in queries/order_id");
    String query = "SELECT max(id) + 1 FROM orders";
    file("queries/order_id/postgresql.sql", query);
    admin.answers.put(query + "{}", FakeAdmin.answer(new BigDecimal("501"), 0));
    assertThat(numbers(model(), "place-order")).containsExactly(501L, 502L, 503L);
    admin.answers.put(query + "{}", FakeAdmin.answer(504L, 0));
    assertThat(numbers(model(), "place-order")).containsExactly(504L, 505L, 506L);
    for (Object wrong : new Object[] {null, "a", new BigDecimal("1.5")}) {
      admin.answers.put(query + "{}", FakeAdmin.answer(wrong, 0));
      assertThat(refusalOf(() -> model().ready(ports)).key())
          .isEqualTo("workload.parameters.order_id.from");
    }
  }

  @Test
  void whatDoesNotFitTogetherIsNamed() {
    file(
        "transactions/find-customer/postgresql.sql",
        "SELECT id\nFROM customers WHERE id = :custmer;\n");
    file("checks/orders-there/postgresql.sql", "SELECT 1 WHERE :done_place_orders > 9;\n");
    work()
        .getAsJsonObject("parameters")
        .add("city", BundleFixture.parse("{'type':'text','length':3}"));
    assertThat(problems())
        .containsExactlyInAnyOrder(
            ": shop/transactions/find-customer/postgresql.sql:2: unknown parameter \"custmer\"; did"
                + " you mean \"customer\"?",
            ": shop/checks/orders-there/postgresql.sql:1: unknown count of calls"
                + " \"done_place_orders\"; did you mean \"done_place_order\"?",
            "workload.parameters.city: is not used by any statement");
  }

  @Test
  void severalStatementsSayHowTheyBelongTogether() {
    JsonObject order = work().getAsJsonObject("transactions").getAsJsonObject("place-order");
    order.remove("isolation");
    assertThat(problems())
        .containsExactly(
            "workload.transactions.place-order.isolation: is missing:"
                + " transactions/place-order/postgresql.sql has 2 statements; set isolation,"
                + " or set 'atomic: false' to commit each statement separately");
    order.addProperty("atomic", false);
    assertThat(model().transaction("place-order").writes()).isTrue();
    order.getAsJsonArray("steps").add(new JsonObject());
    assertThat(problems())
        .containsExactly(
            "workload.transactions.place-order.steps: the number of steps is 3, but the number of"
                + " statements in transactions/place-order/postgresql.sql is 2");
  }

  @Test
  void aTransactionOfTheMixNeedsAStatementOfTheSystem() throws IOException {
    Files.move(
        shop.resolve("transactions/find-customer/postgresql.sql"),
        shop.resolve("transactions/find-customer/citus.sql"));
    ConfigException found = refusalOf(() -> model().ready(ports));
    assertThat(found).hasMessage("shop/transactions/find-customer has no statement for postgresql");
    system = "citus";
    assertThat(catchThrowableOfType(Exception.class, () -> model().ready(ports))).isNull();
    config.add("mix", BundleFixture.parse("{'find-customers':100}"));
    assertThat(problems().get(0)).contains("did you mean \"find-customer\"?");
  }
}
