package io.shardload.workload.statements;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import io.shardload.dataset.DataSet;
import io.shardload.driver.Header;
import io.shardload.generator.DataSize;
import io.shardload.generator.RunConfig;
import io.shardload.workload.Making;
import io.shardload.workload.Phases;
import io.shardload.workload.Ports;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.calls.StatementTransaction;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.StatementAdmin;
import io.shardload.workload.statements.port.StatementStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The options of a folder, from its files to what a run does; the server is a fake. */
class SwitchesTest {
  @TempDir private Path directory;
  private Path blog;
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
    blog = directory.resolve("blog");
    file("workload.yml", "# stresses nothing\n");
    file("schema/postgresql.sql", "CREATE TABLE posts (id bigint);");
    file("schema/indexes=text/postgresql.sql", "CREATE INDEX of_text ON posts (id);");
    file("schema/model=document/postgresql.sql", "CREATE TABLE documents (id bigint);");
    file("transactions/find/postgresql.sql", "SELECT id FROM posts LIMIT :limit");
    file(
        "transactions/find/model=document/postgresql.sql",
        "SELECT id FROM documents WHERE id = :document LIMIT :limit");
    file("transactions/find-text/postgresql.sql", "SELECT id FROM posts WHERE :word <> ''");
    file(
        "checks/there/postgresql.sql", "SELECT 1 WHERE :loaded_documents + :limit < :loaded_posts");
    config =
        BundleFixture.parse(
            "{'run':{'id':'r'},'target':{'driver':'postgresql','url':'postgresql://localhost/x','user':'u'},"
                + "'workload':{'name':'blog','seed':1,'data':{'tables':{"
                + "'posts':{'rows':30,'columns':{'id':{'type':'sequential'}}},'documents':{'rows':"
                + "20,'for':{'model':'document'},'columns':{'id':{'type':'sequential'}}}}},"
                + "'options':{'indexes':{'values':['none','basic','text'],'default':'basic',"
                + "'ferretdb':['none','basic']},'model':{'values':['rows','document'],'mongodb':"
                + "['document']},'limit':{'values':[1,10],'default':10}},'parameters':{'word':"
                + "{'type':'word','words':['go']},'document':{'type':'reference','table':"
                + "'documents','column':'id'}},'transactions':{'find-text':{'needs':{'indexes':"
                + "['text']}}}},'mix':{'find':100},'load':{'model':'closed','workers':1,"
                + "'generators':1,'generator':0,'segments':[{'name':'hold','kind':'hold',"
                + "'seconds':1,'from_workers':1,'to_workers':1}]}}");
    work().addProperty("folder", blog.toString());
  }

  private JsonObject work() {
    return config.getAsJsonObject("workload");
  }

  private JsonObject options() {
    return work().getAsJsonObject("options");
  }

  private void choose(String options) {
    work().add("chosen", BundleFixture.parse(options));
  }

  private void file(String name, String text) {
    try {
      Path file = blog.resolve(name);
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

  private List<String> made() throws Exception {
    admin.done.clear();
    StatementsModel model = model();
    model.createSchema(ports, Making.UNRECORDED, Progress.UNHEARD);
    model.load(ports, 0, model.documents(), done -> {});
    admin.rows.clear();
    return admin.done.subList(1, admin.done.size());
  }

  /** Turned red by a schema without the option's file, and by a table that is always loaded. */
  @Test
  void aValueAddsToTheSchemaAndToTheData() throws Exception {
    assertThat(made()).containsExactly("CREATE TABLE posts (id bigint)", "load posts 0 to 30");
    work().getAsJsonObject("data").addProperty("documents", 60);
    assertThat(made()).containsExactly("CREATE TABLE posts (id bigint)", "load posts 0 to 60");
    work().getAsJsonObject("data").remove("documents");
    choose("{'indexes':'text'}");
    assertThat(made())
        .containsExactly(
            "CREATE TABLE posts (id bigint)",
            "CREATE INDEX of_text ON posts (id)",
            "load posts 0 to 30");
    choose("{'model':'document'}");
    work().getAsJsonObject("data").addProperty("documents", 100);
    assertThat(made())
        .containsExactly(
            "CREATE TABLE posts (id bigint)",
            "CREATE TABLE documents (id bigint)",
            "load posts 0 to 60",
            "load documents 0 to 40");
  }

  private String statement() throws Exception {
    StatementTransaction find = (StatementTransaction) model().ready(ports).transaction("find");
    return ((SqlStatement) find.plans().get(0).statements().get(0)).with("?");
  }

  /** Turned red by the base file that comes first. */
  @Test
  void aValueReplacesTheStatementsOfATransaction() throws Exception {
    assertThat(statement()).isEqualTo("SELECT id FROM posts LIMIT ?");
    choose("{'model':'document'}");
    assertThat(statement()).isEqualTo("SELECT id FROM documents WHERE id = ? LIMIT ?");
  }

  /** Turned red by a number that is a text. */
  @Test
  void aStatementGetsTheValue() throws Exception {
    assertThat(arguments()).isEqualTo("{\"limit\":10}");
    choose("{'limit':1}");
    assertThat(arguments()).isEqualTo("{\"limit\":1}");
    options().getAsJsonObject("limit").getAsJsonArray("values").add("all");
    assertThat(arguments()).isEqualTo("{\"limit\":\"1\"}");
  }

  private String arguments() throws Exception {
    JsonObject calls = model().preview(ports, 1).getAsJsonObject("calls");
    return calls.getAsJsonArray("find").get(0).getAsJsonObject().get("arguments").toString();
  }

  /** Turned red by a transaction that is checked without what it needs. */
  @Test
  void aMixWithoutWhatItNeedsIsRefused() throws Exception {
    assertThat(model().preview(ports, 1).getAsJsonObject("calls").keySet()).containsExactly("find");
    config.add("mix", BundleFixture.parse("{'find':50,'find-text':50}"));
    assertThat(problems())
        .containsExactly(
            "workload.options.indexes: is \"basic\", but transaction find-text needs text");
    choose("{'indexes':'text'}");
    assertThat(model().preview(ports, 1).getAsJsonObject("calls").keySet())
        .containsExactly("find", "find-text");
  }

  @Test
  void theValuesAreWrittenDown() {
    choose("{'indexes':'none'}");
    JsonObject resolved = DataSize.read(config).resolve(OptionalLong.empty());
    assertThat(resolved.getAsJsonObject("workload").get("chosen"))
        .hasToString("{\"indexes\":\"none\",\"model\":\"rows\",\"limit\":10}");
    assertThat(model().describe().get("options"))
        .isEqualTo(Map.of("indexes", "none", "model", "rows", "limit", 10L));
  }

  private String refusedOn(StatementsModel loaded) {
    Header header =
        new Header("blog", loaded.shape(), loaded.documents(), 0, 0, 0, "", "", List.of());
    ConfigException found = refusalOf(() -> DataSet.checkSame(header, "blog", model()));
    return found == null ? "" : found.getMessage();
  }

  /** Turned red by an option of statements in the header, and by one of the schema without it. */
  @Test
  void onlyAnOptionOfTheDataMeansOtherData() {
    StatementsModel loaded = model();
    choose("{'limit':1}");
    assertThat(refusedOn(loaded)).isEmpty();
    choose("{'indexes':'text'}");
    assertThat(refusedOn(loaded))
        .isEqualTo(
            "the data set on the target was created with option indexes basic, not text; -o"
                + " workload.options.indexes=basic keeps it, or use another database");
    choose("{'model':'document','indexes':'text'}");
    assertThat(refusedOn(loaded))
        .startsWith(
            "the data set on the target was created with option indexes basic, not text, with"
                + " option model rows, not document; -o workload.options.indexes=basic -o");
    StatementsModel text = model();
    file("schema/indexes=text/postgresql.sql", "CREATE INDEX of_text ON posts (id, id);");
    assertThat(refusedOn(text))
        .contains("with another version of schema/indexes=text/postgresql.sql;");
  }

  /** A system takes what its own list, or that of its fallback, has. */
  @Test
  void aValueThatASystemDoesNotTakeIsRefused() {
    file("transactions/find/mongodb.json", "{\"find\": \"posts\", \"limit\": 1}");
    file("schema/mongodb.json", "{\"collections\": [{\"name\": \"posts\"}]}");
    file("checks/there/mongodb.json", "{\"find\": \"posts\"}");
    JsonObject target = BundleFixture.parse("{'driver':'mongodb','url':'mongodb://localhost/x'}");
    config.add("target", target);
    choose("{'indexes':'text'}");
    system = "ferretdb";
    assertThat(model().chosen()).containsEntry("model", "document");
    assertThat(refusalOf(() -> model().checkSchema(ports, false)))
        .hasMessage("ferretdb does not take \"text\"; known are none, basic")
        .satisfies(e -> assertThat(e.key()).isEqualTo("workload.options.indexes"));
    system = "mongodb";
    assertThat(refusalOf(() -> model().ready(ports))).isNull();
    choose("{'model':'rows'}");
    assertThat(problems())
        .containsExactly(
            "workload.options.model: mongodb does not take \"rows\"; known are document");
  }

  private static RunConfig distributed(String how) {
    String json =
        "{'run':{'id':'r'},'target':{'name':'t','driver':'postgresql','url':'postgresql://h/d','user':'u'},"
            + "'schema':{'distribution':'%s'},'workload':{'name':'document-store'},"
            + "'mix':{'insert':100},'load':{'model':'closed','workers':1,"
            + "'segments':[{'name':'hold','kind':'hold','seconds':1}]}}";
    return RunConfig.read(BundleFixture.parse(json.formatted(how)));
  }

  /** Which of the driver's systems it is, the server says. Mutation: only what all of them take. */
  @Test
  void aKeyOfTheTargetTakesWhatOneOfItsSystemsTakes() {
    assertThat(distributed("id").model().schema()).containsEntry("distribution", "id");
    assertThat(refusalOf(() -> distributed("ids")).getMessage())
        .contains("unknown value \"ids\"; did you mean \"id\"?");
  }

  @Test
  void wrongChoicesAreNamed() {
    choose("{'indxes':'text','indexes':'txt','limit':5}");
    assertThat(problems())
        .containsExactly(
            "workload.options.indexes: unknown value of option indexes \"txt\"; did you mean"
                + " \"text\"?",
            "workload.options.limit: unknown value of option limit \"5\"; did you mean \"1\"?",
            "workload.options.indxes: unknown option \"indxes\"; did you mean \"indexes\"?");
  }

  @Test
  void wrongDeclarationsAreNamed() {
    options().add("a", BundleFixture.parse("{}"));
    options().add("b", BundleFixture.parse("{'values':['x','y/z']}"));
    options().add("c", BundleFixture.parse("{'values':['x','x']}"));
    options().add("d", BundleFixture.parse("{'values':['x1','x2'],'default':'x3'}"));
    options().add("e", BundleFixture.parse("{'values':['x'],'mongodb':['z']}"));
    options().add("h", BundleFixture.parse("{'values':['x'],'citus':[]}"));
    options().add("f", BundleFixture.parse("{'values':['x'],'defalt':'x'}"));
    options().add("G", BundleFixture.parse("{'values':['x']}"));
    assertThat(problems())
        .containsExactly(
            "workload.options.a.values: is missing: list at least one value",
            "workload.options.b.values: \"y/z\" is not a value: it names a folder, so write"
                + " letters, digits, _, . and -",
            "workload.options.c.values: lists a value twice",
            "workload.options.d.default: unknown value \"x3\"; did you mean \"x1\"?",
            "workload.options.e.mongodb: unknown value of option e \"z\"; did you mean \"x\"?",
            "workload.options.h.citus: is missing: list at least one value",
            "workload.options.f.defalt: unknown option \"defalt\"; did you mean \"default\"?",
            "workload.options.G: the name is not of the form [a-z][a-z0-9_]*, such as indexes");
  }

  /** Mutations: a free value is another type than its default; it changes no data. */
  @Test
  void anOptionMayTakeAnyWord() {
    options().add("kind", BundleFixture.parse("{'values':'any','default':'btree'}"));
    options().add("rows", BundleFixture.parse("{'values':'any','default':40}"));
    file(
        "schema/postgresql.sql",
        "CREATE TABLE posts (id bigint); COMMENT ON TABLE posts IS :'kind'");
    JsonObject table = work().getAsJsonObject("data").getAsJsonObject("tables");
    table.getAsJsonObject("posts").addProperty("rows", "$rows");
    StatementsModel loaded = model();
    assertThat(loaded.chosen()).containsEntry("kind", "btree").containsEntry("rows", 40L);
    choose("{'kind':'hash'}");
    assertThat(model().chosen()).containsEntry("kind", "hash");
    assertThat(refusedOn(loaded))
        .isEqualTo(
            "the data set on the target was created with option kind btree, not hash; -o"
                + " workload.options.kind=btree keeps it, or use another database");
    choose("{'rows':41}");
    assertThat(refusedOn(loaded)).contains("with option rows 40, not 41");
    assertThat(model().documents()).isEqualTo(loaded.documents() + 1);
    choose("{'kind':'a b','rows':'many'}");
    assertThat(problems())
        .containsExactly(
            "workload.options.kind: \"a b\" is not a value: it names a folder, so write letters,"
                + " digits, _, . and -",
            "workload.options.rows: \"many\" is not a whole number, as its default");
    choose("{}");
    options().add("kind", BundleFixture.parse("{'values':'any'}"));
    assertThat(problems()).containsExactly("workload.options.kind.default: is missing");
    options().add("kind", BundleFixture.parse("{'values':'any','default':'x'}"));
    file(
        "schema/postgresql.sql",
        "CREATE TABLE posts (id bigint); COMMENT ON TABLE posts IS :'knd'");
    assertThat(problems())
        .containsExactly(
            ": blog/schema/postgresql.sql:1: unknown option \"knd\"; did you mean \"kind\"?");
  }

  @Test
  void wrongUsesAreNamed() {
    work().getAsJsonObject("parameters").add("limit", BundleFixture.parse("{'type':'uuid'}"));
    JsonObject table = work().getAsJsonObject("data").getAsJsonObject("tables");
    table.getAsJsonObject("posts").add("for", BundleFixture.parse("{'modle':'rows'}"));
    JsonObject find = BundleFixture.parse("{'needs':{'model':['rows','row']}}");
    work().getAsJsonObject("transactions").add("find", find);
    assertThat(problems())
        .containsExactly(
            "workload.data.tables.posts.for.modle: unknown option \"modle\"; did you mean"
                + " \"model\"?",
            "workload.parameters.limit: is the name of an option as well",
            "workload.transactions.find.needs.model: unknown value of option model \"row\"; did you"
                + " mean \"rows\"?");
  }

  @Test
  void anOptionThatNothingUsesIsRefused() throws IOException {
    options().add("colour", BundleFixture.parse("{'values':['red']}"));
    assertThat(problems()).containsExactly("workload.options.colour: nothing uses the option");
    file("transactions/find/mongodb.json", "{\"find\": {\"$param\": \"colour\"}}");
    assertThat(refusalOf(this::model)).isNull();
    Files.delete(blog.resolve("transactions/find/mongodb.json"));
    file("schema/colour=red/mongodb.json", "{\"collections\": [{\"name\": \"posts\"}]}");
    assertThat(refusalOf(this::model)).isNull();
  }

  @Test
  void wrongFoldersAreNamed() {
    file("transactions/find/modle=document/postgresql.sql", "SELECT 1");
    file("transactions/find-text/indexes=txt/postgresql.sql", "SELECT 1");
    file("schema/deep/postgresql.sql", "SELECT 1");
    file("schema/model=rows/model=document/postgresql.sql", "SELECT 1");
    assertThat(problems())
        .containsExactly(
            ": blog/schema/deep/: a folder is not allowed here",
            ": blog/schema/model=rows/model=document/: a folder is not allowed here",
            ": blog/transactions/find/modle=document/: unknown option \"modle\"; did you mean"
                + " \"model\"?",
            ": blog/transactions/find-text/indexes=txt/: unknown value of option indexes \"txt\";"
                + " did you mean \"text\"?");
  }

  /** Turned red by an inner folder that needs one of its values only. */
  @Test
  void aFolderInAFolderNeedsBothValues() throws Exception {
    file("schema/model=document/indexes=text/postgresql.sql", "CREATE INDEX d ON documents (id);");
    file("transactions/find/limit=1/postgresql.sql", "SELECT id FROM posts WHERE id = :document");
    file("transactions/find/limit=1/model=document/postgresql.sql", "SELECT :document");
    choose("{'model':'document','limit':1}");
    assertThat(statement()).isEqualTo("SELECT ?");
    assertThat(made()).doesNotContain("CREATE INDEX d ON documents (id)");
    choose("{'model':'document','indexes':'text'}");
    assertThat(made().subList(0, 4))
        .containsExactly(
            "CREATE TABLE posts (id bigint)",
            "CREATE INDEX of_text ON posts (id)",
            "CREATE TABLE documents (id bigint)",
            "CREATE INDEX d ON documents (id)");
    choose("{}");
    file("transactions/find/limit=1/model=document/postgresql.sql", "SELECT :documnt");
    assertThat(model().problems(ports))
        .containsExactly(
            "blog/transactions/find/limit=1/model=document/postgresql.sql:1: unknown parameter"
                + " \"documnt\"; did you mean \"document\"? (with limit=1, model=document)");
  }

  /** Turned red by taking the first of them. */
  @Test
  void twoOptionsCannotReplaceTheSameStatements() {
    file("transactions/find/limit=1/postgresql.sql", "SELECT id FROM posts WHERE id = :document");
    assertThat(refusalOf(this::model)).isNull();
    choose("{'model':'document','limit':1}");
    assertThat(problems())
        .containsExactly(
            ": blog/transactions/find/: limit=1 and model=document hold together, but only one of"
                + " them can replace the statements");
  }

  /** Turned red by a check of the chosen values alone. */
  @Test
  void eachOtherValueIsChecked() throws Exception {
    file("transactions/find/limit=1/postgresql.sql", "SELECT :lmit");
    assertThat(model().problems(ports))
        .containsExactly(
            "blog/transactions/find/limit=1/postgresql.sql:1: unknown parameter \"lmit\"; did you"
                + " mean \"limit\"? (with limit=1)");
    file("transactions/find/limit=1/postgresql.sql", "SELECT :limit");
    assertThat(model().problems(ports)).isEmpty();
    admin.problems.add(new Problem(new Place("schema/postgresql.sql", 1), "no"));
    assertThat(model().problems(ports)).containsExactly("blog/schema/postgresql.sql:1: no");
  }
}
