package io.shardload.verify;

import io.shardload.bundle.VerificationMode;
import io.shardload.dataset.DataSet;
import io.shardload.driver.Target;
import io.shardload.driver.TestDatabases.Database;
import io.shardload.keys.FileJournal;
import io.shardload.keys.JournalHeader;
import io.shardload.keys.State;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import io.shardload.workload.Progress;
import io.shardload.workload.statements.DocumentStoreCalls;
import io.shardload.workload.statements.DocumentStoreFolder;
import io.shardload.workload.statements.StatementsModel;
import io.shardload.workload.statements.port.StatementStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Documents 0 to 4 of seed 1, two tenants, 40 bytes each, written out: what verification must
 * accept, independent of the code that makes documents.
 */
public final class GoldenData {
  private static final String DATA = "{'documents': 4, 'tenants': 2, 'document-size': '40B'}";

  static final String TENANT_0 = "bd178531-75c4-4325-9427-11237e9fc9a9";
  static final String TENANT_1 = "307dc898-b58b-4f88-b73c-f551ce4567a2";

  public static final String DOCUMENT_0 =
      "('bd178531-75c4-4325-9427-11237e9fc9a9', '0a385ef24fa6a992', 'a2d598abf61ff95e',"
          + " 918532124755, '9ad8ce28149f63c4', 'ff1e4e12bf837948',"
          + " 'xXx0J6Pwr hfogzsfifia mkgh macjyu ibpwtf', 0)";
  public static final String DOCUMENT_1 =
      "('307dc898-b58b-4f88-b73c-f551ce4567a2', '2c51bc4519c07f4f', '7ed7c9951fe3bea9',"
          + " 503892663637, '077a600d8cf82cce', '316aaa50c2f0f061',"
          + " 'fpznxxmbwtp -T2kfOgcY coxqjar vyqga iflw', 0)";
  public static final String DOCUMENT_2 =
      "('bd178531-75c4-4325-9427-11237e9fc9a9', 'b004183680a353dc', 'a2d598abf61ff95e',"
          + " 48278991447, '9ad8ce28149f63c4', 'ff1e4e12bf837948',"
          + " 'ncbGS2dhw y5qeqOcxF vQzAgxCsg nwaytjnyct', 0)";
  public static final String DOCUMENT_3 =
      "('307dc898-b58b-4f88-b73c-f551ce4567a2', '7c27a119a8b5cc8e', '7ed7c9951fe3bea9',"
          + " 813219682424, '077a600d8cf82cce', '316aaa50c2f0f061',"
          + " 'agvme D9ou--HMD zrhjmlxsa GWQZC2BjB yjks', 0)";
  static final String DOCUMENT_4 =
      "('bd178531-75c4-4325-9427-11237e9fc9a9', '481c57236cb7eb54', 'a2d598abf61ff95e',"
          + " 862823204003, '9ad8ce28149f63c4', 'ff1e4e12bf837948',"
          + " 'tvriu 6r1KjEOGz zaoDH2sJX ipzesrcohdb tu', 0)";

  public static final String INSERT =
      "INSERT INTO data_table (id, filter1, filter2, filter3, filter4, filter5, document, edition)"
          + " VALUES ";

  /** Brings document 0 to edition 1: with these cardinalities only filter3 changes. */
  static final String UPDATE_0 =
      "UPDATE data_table SET filter3 = 501165655330, edition = 1"
          + " WHERE filter1 = '0a385ef24fa6a992'";

  static final String UPDATE_0_TO_2 =
      "UPDATE data_table SET filter3 = 835612797673, edition = 2"
          + " WHERE filter1 = '0a385ef24fa6a992'";
  static final String UPDATE_3 =
      "UPDATE data_table SET filter3 = 424275438119, edition = 1"
          + " WHERE filter1 = '7c27a119a8b5cc8e'";
  static final String DELETE_1 = "DELETE FROM data_table WHERE filter1 = '2c51bc4519c07f4f'";
  static final String DELETE_2 = "DELETE FROM data_table WHERE filter1 = 'b004183680a353dc'";

  static final String FINAL_LINE = "{\"generator\":0,\"seq\":3,\"final\":true}\n";

  private GoldenData() {}

  /** On PostgreSQL. */
  public static StatementsModel model() {
    return model(1, DATA);
  }

  /** On the system of a target. */
  public static StatementsModel model(Target target) {
    return DocumentStoreFolder.model(target.port(StatementStore.class).system(), 1, DATA);
  }

  /** Calls of its transactions on a target. */
  static DocumentStoreCalls calls(Target target) {
    return new DocumentStoreCalls(model(target), target.port(StatementStore.class));
  }

  public static StatementsModel model(long seed, String data) {
    return DocumentStoreFolder.model("postgresql", seed, data);
  }

  /** Loads documents 0 to 3 and begins a run named like the bundle. */
  static void begin(Target target, Path bundle) throws CallFailure {
    DataSet dataSet = DataSet.open(target, "document-store", model(target), false);
    dataSet.load(done -> {});
    dataSet.begin(bundle.getFileName().toString());
  }

  /** The bundle of a run that journalled this, and that ended in order or was cut off. */
  public static void writeBundle(Path bundle, boolean endedInOrder, Consumer<FileJournal> entries)
      throws IOException {
    writeBundle(bundle, endedInOrder, 4, entries);
  }

  /** The same of a run that began at another mark than that of documents 0 to 3. */
  public static void writeBundle(
      Path bundle, boolean endedInOrder, long highWater, Consumer<FileJournal> entries)
      throws IOException {
    Files.createDirectories(bundle.resolve("journal"));
    Files.createDirectories(bundle.resolve("latencies"));
    JournalHeader header = header(bundle, 0, 1, highWater);
    try (FileJournal journal = new FileJournal(bundle.resolve("journal/generator-0.jnl"), header)) {
      entries.accept(journal);
    }
    Files.writeString(
        bundle.resolve("latencies/generator-0.jsonl"),
        "{\"generator\":0,\"seq\":1}\n" + (endedInOrder ? FINAL_LINE : ""));
  }

  /** Of a generator with five workers, whose schedule asks for up to 30 writes a second. */
  static JournalHeader header(Path bundle, int generator, int generators, long highWater) {
    return new JournalHeader(
        generator, generators, highWater, 30, 5, bundle.getFileName().toString());
  }

  static Verification verify(Target target, Path bundle) throws IOException {
    return verify(target, model(target), bundle);
  }

  public static Verification verify(Target target, Model<?> model, Path bundle) throws IOException {
    return verify(target, model, bundle, VerificationMode.ALL);
  }

  /** Reads only what the run has written. */
  static Verification verifyWritten(Target target, Path bundle) throws IOException {
    return verify(target, model(target), bundle, VerificationMode.WRITTEN);
  }

  private static Verification verify(
      Target target, Model<?> model, Path bundle, VerificationMode mode) throws IOException {
    Verifier verifier = new Verifier(target, "document-store", model);
    return verifier.verify(
        bundle, mode, "shardload-nobody", Duration.ofMinutes(1), Progress.UNHEARD);
  }

  /** What a verification found: kinds and ordinals. */
  static List<String> found(Verification result) {
    return result.findings().stream()
        .map(finding -> finding.kind().label() + " " + finding.ordinal())
        .toList();
  }

  /** The journal of a run that updated document 0, deleted 2 and inserted 4. */
  static void writes(FileJournal journal) {
    journal.append(0, State.live(1));
    journal.append(2, State.of(State.DELETED, 0));
    journal.append(4, State.live(0));
  }

  /** The table as that run left it. */
  static void fill(Database database) {
    execute(
        database,
        "TRUNCATE data_table",
        INSERT + String.join(", ", DOCUMENT_0, DOCUMENT_1, DOCUMENT_2, DOCUMENT_3, DOCUMENT_4),
        UPDATE_0,
        DELETE_2);
  }

  static void execute(Database database, String... statements) {
    for (String statement : statements) {
      database.execute(statement);
    }
  }
}
