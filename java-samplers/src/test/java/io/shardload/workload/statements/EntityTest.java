package io.shardload.workload.statements;

import static io.shardload.driver.Caught.refusalOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.config.ConfigException;
import io.shardload.data.Draws;
import io.shardload.data.KeyDistribution;
import io.shardload.generator.RunConfig;
import io.shardload.keys.Journal;
import io.shardload.keys.Keys;
import io.shardload.keys.LocalRanges;
import io.shardload.keys.Ownership;
import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.workload.Call;
import io.shardload.workload.CallFailure;
import io.shardload.workload.NoKey;
import io.shardload.workload.Outcome;
import io.shardload.workload.Phases;
import io.shardload.workload.statements.calls.StatementCall;
import io.shardload.workload.statements.parameters.Entity;
import io.shardload.workload.statements.port.Answers;
import io.shardload.workload.statements.port.Equality;
import io.shardload.workload.statements.port.Plan;
import io.shardload.workload.statements.port.StatementStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A folder whose posts are followed, from its files to the states of its rows; the server is a
 * fake.
 *
 * <p>Mutations that turned it red: the values of edition 0 in an update; a new row with the number
 * of its ordinal; a stale read counted as done.
 */
class EntityTest {
  private static final String DATA =
      "{'tables':{'authors':{'rows':10,'columns':{'id':{'type':'sequential'}}},"
          + "'posts':{'rows':30,'entity':{'changes':['title']},'columns':{"
          + "'id':{'type':'sequential','from':101},'version':{'type':'edition'},"
          + "'author':{'type':'integer','min':1,'max':10},"
          + "'title':{'type':'text','length':8},'again':{'type':'copy','of':'title'}}}}}";
  private static final String TRANSACTIONS =
      "{'write':{'entity':'insert'},'edit':{'entity':'update'},'remove':{'entity':'delete'},"
          + "'read':{'entity':'read','rows':'one'},'list':{'entity':'read','rows':'0..5',"
          + "'answer':['title']},'log':{}}";

  private static final Outcome WRITTEN = new Outcome.Done(1, 1, false);

  @TempDir private Path directory;
  private final Map<String, String> files = new TreeMap<>();
  private String data = DATA;
  private String transactions = TRANSACTIONS;
  private Keys keys;

  @BeforeEach
  void write() {
    files.put(
        "schema/postgresql.sql", "CREATE TABLE authors (id int); CREATE TABLE posts (id int)");
    sql("write", "INSERT INTO posts VALUES (:posts.id, :posts.version, :posts.title)");
    sql(
        "edit",
        "UPDATE posts SET version = :posts.version, title = :posts.title, again = :posts.again"
            + " WHERE id = :posts.id AND version = :posts.before");
    sql("remove", "DELETE FROM posts WHERE id = :posts.id AND version = :posts.before");
    sql("read", "SELECT * FROM posts WHERE id = :posts.id");
    sql("list", "SELECT id, version, title FROM posts WHERE author = :posts.author");
    sql("log", "INSERT INTO log VALUES (:entry)");
    keys = keysOf(30);
  }

  private void sql(String transaction, String text) {
    files.put("transactions/" + transaction + "/postgresql.sql", text);
  }

  private StatementsModel model() {
    Path folder = directory.resolve("blog");
    files.put("workload.yml", "");
    files.forEach(
        (name, text) -> {
          try {
            Files.createDirectories(folder.resolve(name).getParent());
            Files.writeString(folder.resolve(name), text);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
    JsonObject config =
        BundleFixture.parse(
            "{'run':{'id':'r'},'target':{'driver':'postgresql','url':'postgresql://localhost/x','user':'u'},"
                + "'workload':{'name':'blog','seed':1,'data':"
                + data
                + ",'parameters':{'entry':{'type':'sequential'}},'transactions':"
                + transactions
                + "},'mix':{'read':100},"
                + "'load':{'model':'closed','workers':1,'generators':1,'generator':0,'segments':["
                + "{'name':'hold','kind':'hold','seconds':1,'from_workers':1,'to_workers':1}]}}");
    config.getAsJsonObject("workload").addProperty("folder", folder.toString());
    return (StatementsModel) RunConfig.read(config).model();
  }

  private List<String> problems() {
    ConfigException found = refusalOf(this::model);
    assertThat(found).as("nothing was refused").isNotNull();
    return found.problems().stream().map(one -> one.key() + ": " + one.getMessage()).toList();
  }

  private StatementCall call(String transaction) {
    return call(transaction, 5);
  }

  private StatementCall call(String transaction, int arrival) {
    Draws draws = new Draws().at(1, arrival);
    return (StatementCall) model().transaction(transaction).prepare(draws, keys);
  }

  private static Map<String, Object> arguments(StatementCall call) {
    Map<String, Object> all = new TreeMap<>();
    for (int i = 0; i < call.arguments().length; i++) {
      all.put(call.plan().arguments().get(i), call.arguments()[i]);
    }
    return all;
  }

  /** Runs a call on a store that answers with these rows of the wanted columns. */
  private static Outcome answered(Call<StatementStore> call, Object[]... rows) throws CallFailure {
    CallFailure[] failure = {null};
    try {
      call.run(answering(rows), Phases.NONE);
    } catch (CallFailure e) {
      failure[0] = e;
    }
    return call.finish(failure[0], false);
  }

  private static StatementStore answering(Object[]... rows) {
    return new StatementStore() {
      @Override
      public String system() {
        return "fake";
      }

      @Override
      public void run(Plan plan, Object[] arguments, Answers answers, Phases phases)
          throws CallFailure {
        answers.begin();
        for (Object[] row : rows) {
          answers.row(0, Arrays.asList(row), Equality.EXACT);
        }
        answers.ended(0, rows.length);
      }
    };
  }

  @Test
  void anUpdateHasTheValuesOfTheNextEdition() throws Exception {
    StatementCall first = call("edit");
    Map<String, Object> arguments = arguments(first);
    long row = (long) arguments.get("posts.id") - 101;
    assertThat(arguments).containsEntry("posts.version", 1L).containsEntry("posts.before", 0L);
    Object[] loaded = row(row, 0);
    assertThat(arguments.get("posts.title")).isNotEqualTo(loaded[3]);
    assertThat(arguments.get("posts.again")).isEqualTo(arguments.get("posts.title"));
    assertThat(answered(first, new Object[0])).isEqualTo(WRITTEN);
    assertThat(keys.state(row)).isEqualTo(State.live(1));
    assertThat(row(row, 1)[3]).isEqualTo(arguments.get("posts.title"));
    assertThat(row(row, 1)[2]).as("an author does not change").isEqualTo(loaded[2]);
  }

  /** The values of a row, in the order of its columns. */
  private Object[] row(long number, int edition) {
    var entity = new ArrayList<Object>();
    var of = parameters();
    for (int i = 0; i < of.table().columns().size(); i++) {
      entity.add(of.value(i, number, edition));
    }
    return entity.toArray();
  }

  private Entity parameters() {
    return model().entity().orElseThrow();
  }

  @Test
  void aNewRowContinuesTheLoadedOnes() throws Exception {
    StatementCall call = call("write");
    assertThat(arguments(call)).containsEntry("posts.id", 131L).containsEntry("posts.version", 0L);
    assertThat(answered(call, new Object[0])).isEqualTo(WRITTEN);
    assertThat(keys.state(40)).isEqualTo(State.live(0));
    assertThat(model().nameOf(40)).isEqualTo("id 131");
    assertThat(parameters().rowOf(131L)).isEqualTo(30);
    assertThat(parameters().rowOf(100L)).isNegative();
    assertThat(parameters().rowOf("x")).isNegative();
  }

  /** A number that another transaction takes is no row that verification expects. */
  @Test
  void aNumberOfAnotherTransactionIsUsedUp() throws Exception {
    assertThat(answered(call("log"), new Object[0])).isEqualTo(WRITTEN);
    assertThat(keys.state(40)).isEqualTo(State.of(State.DELETED, 0));
  }

  @Test
  void theStateOfARowFollowsTheOutcome() throws Exception {
    StatementCall removed = call("remove");
    long row = (long) arguments(removed).get("posts.id") - 101;
    removed.finish(new CallFailure("refused", true, false, "no"), false);
    assertThat(keys.state(row)).isEqualTo(State.live(0));
    StatementCall again = call("remove");
    long other = (long) arguments(again).get("posts.id") - 101;
    again.finish(new CallFailure("cut", false, false, "cut off"), false);
    assertThat(State.live(keys.state(other))).isFalse();
    StatementCall third = call("remove");
    long gone = (long) arguments(third).get("posts.id") - 101;
    assertThat(answered(third, new Object[0])).isEqualTo(WRITTEN);
    assertThat(keys.state(gone)).isEqualTo(State.of(State.DELETED, 0));
    assertThat(answered(call("remove"))).as("no row").isEqualTo(new Outcome.Failed("wrong-row"));
  }

  /** The wanted columns come in the order of their names: again, author, id, title, version. */
  private Object[] wanted(long row, int edition) {
    Object[] values = row(row, edition);
    return new Object[] {values[4], values[2], values[0], values[3], values[1]};
  }

  @Test
  void aReadKnowsWhatMustComeBack() throws Exception {
    StatementCall read = call("read");
    long row = (long) arguments(read).get("posts.id") - 101;
    assertThat(answered(read, wanted(row, 0))).isEqualTo(Outcome.done(1));
    assertThat(answered(call("read"), wanted(row, 1)))
        .as("an edition that nobody wrote")
        .isEqualTo(new Outcome.Done(1, 0, true));
    Object[] other = wanted(row, 0);
    other[2] = -5L;
    assertThat(answered(call("read"), other)).isEqualTo(new Outcome.Failed("wrong-row"));
  }

  /** Mutations: compare each row; compare none. */
  @Test
  void aSampleOfTheRowsIsComparedWhole() throws Exception {
    int wrong = 0;
    for (int arrival = 0; arrival < 200; arrival++) {
      StatementCall read = call("read", arrival);
      long row = (long) arguments(read).get("posts.id") - 101;
      Object[] swapped = wanted(row, 0);
      swapped[3] = "another title";
      wrong += answered(read, swapped).equals(new Outcome.Failed("wrong-row")) ? 1 : 0;
    }
    assertThat(wrong).as("one call in eight").isBetween(12, 40);
  }

  @Test
  void aRowThatMustBeThereAndIsNotIsStale() throws Exception {
    assertThat(answered(call("list"))).isEqualTo(new Outcome.Missing(true));
    StatementCall full = call("list");
    Object[] another = {131L, row(30, 0)[3], 0L};
    assertThat(answered(full, another, another, another, another, another))
        .as("the limit may have left it out")
        .isEqualTo(Outcome.done(5));
  }

  /** A row that somebody else wrote may have a number for which the file has no value. */
  @Test
  void aRowBeyondTheEndOfAFileDiffers() {
    files.put("names.csv", "name\n" + "x\n".repeat(30));
    data =
        DATA.replace(
            "'author':{'type':'integer','min':1,'max':10}",
            "'author':{'type':'csv','file':'names.csv','column':'name','distribution':'sequential'}");
    assertThat(parameters().holds(Equality.EXACT, 0, "x", 2, 29, 0)).isTrue();
    assertThat(parameters().holds(Equality.EXACT, 0, "x", 2, 30, 0)).isFalse();
  }

  private Keys keysOf(int rows) {
    return new Keys(
        new Ownership(0, 1, rows),
        States.loaded(rows),
        KeyDistribution.uniform(),
        new LocalRanges(40, 16),
        Journal.NONE);
  }

  /** Another worker deletes the row while the read is under way: nobody is to blame. */
  @Test
  void aRowThatIsDeletedMeanwhileIsMissing() throws Exception {
    keys = keysOf(1);
    StatementCall read = call("read");
    assertThat(answered(call("remove"), new Object[0])).isEqualTo(WRITTEN);
    assertThat(answered(read)).isEqualTo(new Outcome.Missing(false));
    keys = keysOf(1);
    assertThat(answered(call("read"))).as("nobody deleted it").isEqualTo(new Outcome.Missing(true));
  }

  /** Without an upper bound nobody knows whether a limit has left the row out. */
  @Test
  void aListWithoutAnUpperBoundMayLeaveItsRowOut() throws Exception {
    transactions = TRANSACTIONS.replace("'rows':'0..5',", "");
    Object[] another = {131L, row(30, 0)[3], 0L};
    assertThat(answered(call("list"), another)).isEqualTo(Outcome.done(1));
    assertThat(answered(call("list"))).isEqualTo(new Outcome.Missing(true));
  }

  @Test
  void withoutRowsThereIsNothingToChange() {
    data = DATA.replace("'rows':30", "'rows':0");
    assertThat(model().transaction("edit").prepare(new Draws().at(1, 1), keysOf(0)))
        .isInstanceOf(NoKey.class);
  }

  @Test
  void itsRowsAreFollowedAndTheOthersAreNot() {
    StatementsModel model = model();
    assertThat(model.followsDocuments()).isTrue();
    assertThat(model.documents()).isEqualTo(40);
    assertThat(model.followed()).isEqualTo(30);
    assertThat(model.shape()).containsEntry("followed", "30");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "'changes':['title']; 'changes':['titel']; workload.data.tables.posts.entity.changes:"
            + " unknown column \"titel\"; did you mean \"title\"?",
        "'changes':['title']; 'changes':['id']; workload.data.tables.posts.entity.changes: column"
            + " id depends on the number of the row alone",
        "'changes':['title']; 'changes':['version']; workload.data.tables.posts.entity.changes:"
            + " column version is the edition, which changes anyway",
        "'changes':['title']; 'key':'author'; workload.data.tables.posts.entity.key: column author"
            + " is neither sequential nor permuted, so it names no row",
        "'changes':['title']; 'key':'ident'; workload.data.tables.posts.entity.key: unknown column"
            + " \"ident\"",
        "'changes':['title']; 'edition':'version'; workload.data.tables.posts.entity.edition: unknown"
            + " option \"edition\"; known are changes, key",
        "'version':{'type':'edition'}; 'version':{'type':'integer','max':4};"
            + " workload.data.tables.posts.entity.changes: needs one column of type edition, which"
            + " counts the updates",
        "'text','length':8; 'timestamp','from':'-3d'; workload.data.tables.posts.columns.title: is"
            + " relative to the time of the load, so the entity cannot be verified; use instants",
        "'entity':{'changes':['title']},; ; workload.data.tables.posts.columns.version.type:"
            + " edition is allowed only in a table with the key entity",
        "{'rows':10,; {'rows':10,'entity':{},; workload.data.tables.posts.entity: is a second"
            + " entity; a folder has one",
        "'posts':; 'my-posts':; workload.data.tables.my-posts.entity.key: cannot be used in"
            + " statements: the table's name is not of the form [a-z][a-z0-9_]*",
      })
  void eachProblemOfTheTableIsOneLine(String right, String wrong, String line) {
    data = DATA.replace(right, wrong == null ? "" : wrong);
    assertThat(data).isNotEqualTo(DATA);
    assertThat(problems()).anySatisfy(found -> assertThat(found).startsWith(line));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "'entity':'insert'; 'entity':'insrt'; workload.transactions.write.entity: unknown"
            + " value \"insrt\"; did you mean \"insert\"?",
        "{'entity':'insert'}; {}; workload.transactions.write.entity: is missing: a statement uses"
            + " :posts.id, a column of the row that the call works on",
        "'rows':'0..5'; 'rows':'0..5','sorted':{'title':'up'}; workload.transactions.list.sorted",
        "'answer':['title']; 'answer':['titel']; workload.transactions.list.answer: unknown column"
            + " \"titel\"; did you mean \"title\"?",
        "'answer':['title']; 'answer':{'title':'title'}; workload.transactions.list.answer: must"
            + " be a list",
        "{'entity':'delete'}; {'entity':'delete','rows':'0..1'};"
            + " workload.transactions.remove.entity: is a write, so a step that writes must have"
            + " 'rows: one'",
        "{'entity':'delete'}; {'entity':'read'}; workload.transactions.remove.entity: is read, so"
            + " the transaction must be one statement that reads",
        "'read':{'entity':'read'; 'read':{'entity':'delete'; workload.transactions.read.entity: is"
            + " a write, but no statement writes",
        "'log':{}; 'log':{'entity':'update'}; workload.transactions.log.entity: is update, but no"
            + " statement uses :posts.id, so it cannot find the row",
        "{'entity':'insert'}; {'entity':'insert','postgresql':{'entity':'delete'}};"
            + " workload.transactions.write.postgresql.entity: is the same on all systems",
        "{'entity':'insert'}; {'entity':'insert','postgresql':{'choose':{}}};"
            + " workload.transactions.write.postgresql.choose: is the same on all systems",
        "{'entity':'delete'}; {'entity':'delete','choose':{'least':'title','within':'author'}};"
            + " workload.transactions.remove.choose: is allowed only with entity: read",
        "'answer':['title']; 'answer':['title'],'choose':{'within':'author'};"
            + " workload.transactions.list.choose.least: is missing",
        "'answer':['title']; 'answer':['title'],'choose':{'least':'titel','within':'author'};"
            + " workload.transactions.list.choose.least: unknown column \"titel\"; did you mean"
            + " \"title\"?",
        "'answer':['title']; 'answer':['title'],'choose':{'least':'title','within':'author'};"
            + " workload.transactions.list.choose.within: must name a reference with distribution:"
            + " in-turn",
        "'answer':['title']; 'answer':['title'],'choose':{'least':'title','row':2};"
            + " workload.transactions.list.choose.within: is missing",
      })
  void eachProblemOfATransactionIsOneLine(String right, String wrong, String line) {
    transactions = TRANSACTIONS.replace(right, wrong);
    assertThat(transactions).isNotEqualTo(TRANSACTIONS);
    assertThat(problems()).anySatisfy(found -> assertThat(found).startsWith(line));
  }

  /** Its key is unique. Turned red by an update of it, which may be repeated as well. */
  @Test
  void anInsertMayBeRepeated() {
    String repeat = ",'unknown':'repeat'}";
    transactions = TRANSACTIONS.replace("'insert'}", "'insert'" + repeat);
    Call<StatementStore> call = call("write");
    assertThat(call.mayRepeat(true)).isTrue();
    CallFailure duplicate = new CallFailure("duplicate-key", true, false, "there already");
    assertThat(call.finish(duplicate, true)).isEqualTo(WRITTEN);
    assertThat(keys.state(40)).as("used up").isNotIn(State.live(0), State.of(State.ABSENT, 0));
    transactions = TRANSACTIONS.replace("'delete'}", "'delete'" + repeat);
    assertThat(problems())
        .singleElement()
        .asString()
        .startsWith("workload.transactions.remove.unknown: cannot be repeat: ");
    transactions = TRANSACTIONS.replace("'insert'}", "'insert'" + repeat);
    sql("write", "INSERT INTO posts VALUES (:posts.id, :posts.version) ON CONFLICT DO NOTHING");
    assertThat(problems()).hasSize(1);
  }

  @Test
  void aColumnThatIsNotThereHasItsNearestName() {
    sql("read", "SELECT * FROM posts WHERE id = :posts.idd");
    assertThat(problems())
        .anySatisfy(
            found ->
                assertThat(found)
                    .contains("unknown parameter \"posts.idd\"; did you mean \"posts.id\"?"));
  }

  @Test
  void anUpdateWithoutTheEditionIsRefused() {
    sql("edit", "UPDATE posts SET title = :posts.title WHERE id = :posts.id");
    assertThat(problems())
        .containsExactly(
            "workload.transactions.edit.entity: is update, but no statement uses :posts.version,"
                + " so the row has not the edition that it must have");
  }
}
