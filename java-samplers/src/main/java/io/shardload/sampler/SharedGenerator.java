package io.shardload.sampler;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.shardload.Daemons;
import io.shardload.bundle.BundleFiles;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.VerificationMode;
import io.shardload.bundle.WholeFile;
import io.shardload.config.ConfigException;
import io.shardload.dataset.DataSet;
import io.shardload.driver.Target;
import io.shardload.generator.GeneratorProcess;
import io.shardload.generator.LoadThread;
import io.shardload.generator.RunConfig;
import io.shardload.verify.BegunRun;
import io.shardload.verify.CheckedRun;
import io.shardload.verify.Verification;
import io.shardload.verify.Verifier;
import io.shardload.workload.CallFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import org.apache.jmeter.protocol.java.sampler.JavaSamplerContext;
import org.apache.jmeter.reporters.ResultCollector;
import org.apache.jmeter.samplers.SampleListener;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.threads.JMeterThread;
import org.apache.jmeter.threads.SamplePackage;
import org.apache.jmeter.util.JMeterUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one generator of this JVM: opened by the first thread of a test, closed by the last one to be
 * torn down (JMeter tears all down when the test has ended).
 */
final class SharedGenerator {
  private static final long END_PATIENCE_MILLIS = 20_000;
  private static boolean endHookInstalled;
  private static final List<String> ROW_VIEWS =
      List.of("ViewResultsFullVisualizer", "TableVisualizer");
  // By its name, because its module of JMeter is not on the plugin's class path.
  private static final String BACKEND = "org.apache.jmeter.visualizers.backend.BackendListener";
  private static final Logger LOG = LoggerFactory.getLogger(SharedGenerator.class);

  private static GeneratorProcess process;
  private static int members;
  private static String refusal;
  private static boolean alone;
  private static volatile EngineRun engineRun;

  private SharedGenerator() {}

  /** The generator could not be opened; the message is for people. */
  static final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    Refused(String message) {
      super(message);
    }
  }

  static synchronized LoadThread join(JavaSamplerContext context) throws Refused {
    if (refusal != null) {
      throw new Refused(refusal);
    }
    if (process == null) {
      process = open(context);
      installEndHook();
      if (!Engine.isHere() && JMeterUtils.getPropDefault("shardload.stdin", "").equals("watch")) {
        watchStdin(process);
      }
    }
    if (members == process.config().load().workers()) {
      throw new Refused(
          "a test plan must have exactly one shardload Java Request, in one thread group; its mix"
              + " names all transactions");
    }
    members++;
    return process.newThread();
  }

  /** The next test of this JVM, such as in the GUI, may succeed. */
  static synchronized void forgetRefusal() {
    refusal = null;
  }

  /** Whether this test only checks that a run could begin here. */
  static boolean isRehearsal() {
    return Engine.isHere() && EngineRun.isRehearsal();
  }

  /** Ends the run, if there is one, and returns whether one is still there. */
  static synchronized boolean stop(String reason) {
    if (process != null) {
      process.stop(reason);
    }
    return process != null;
  }

  static synchronized boolean sampleEach() {
    return process.config().load().sampleEach();
  }

  static void leave() {
    GeneratorProcess last = endedByLast();
    if (last != null) {
      // Without the lock: this waits for the last scrape of metrics, and a signal must not wait.
      close(last);
    }
  }

  /** The generator, which has ended, once the last member has left it. */
  private static synchronized GeneratorProcess endedByLast() {
    members--;
    if (members > 0 || process == null) {
      return null;
    }
    GeneratorProcess last = process;
    process = null;
    try {
      end(last);
    } catch (RuntimeException e) {
      close(last);
      throw e;
    }
    return last;
  }

  private static void end(GeneratorProcess last) {
    try {
      if (engineRun != null) {
        engineRun.closeSamples();
      }
    } catch (IOException e) {
      last.recordsFailed(e);
    }
    last.end();
    if (alone) {
      try {
        LOG.info(
            "shardload: {}; bundle {}",
            Standalone.settle(last.config()),
            last.config().directory());
      } catch (IOException | RuntimeException e) {
        LOG.error("shardload: cannot settle the data set: {}", e.toString());
      }
    }
  }

  /** Keeps a transaction's sample on a load host, where no listener can. */
  static void keep(SampleResult sample) {
    EngineRun run = engineRun;
    try {
      if (run != null) {
        run.keep(sample);
      }
    } catch (IOException | RuntimeException e) {
      recordsFailed(e);
    }
  }

  private static synchronized void recordsFailed(Exception e) {
    if (process != null) {
      process.recordsFailed(e);
    }
  }

  private static void close(GeneratorProcess last) {
    EngineRun run = engineRun;
    try {
      last.close();
    } finally {
      if (run != null) {
        Engine.ended(run.runId());
      }
    }
  }

  private static GeneratorProcess open(JavaSamplerContext context) throws Refused {
    return Engine.isHere() ? openOnHost(context) : openHere(context);
  }

  private static GeneratorProcess openOnHost(JavaSamplerContext context) throws Refused {
    try {
      engineRun = EngineRun.of(Parameters.config(context));
      if (EngineRun.isRehearsal()) {
        engineRun.rehearse();
        refusal = "rehearsal of " + engineRun.runId();
      } else {
        return engineRun.open();
      }
    } catch (ConfigException e) {
      refusal = e.key() + ": " + e.getMessage();
    } catch (IOException | RuntimeException | Error e) {
      refusal = words(e);
    }
    if (engineRun != null && !EngineRun.isRehearsal()) {
      Engine.ended(engineRun.runId());
    }
    throw new Refused(refusal);
  }

  private static String words(Throwable e) {
    return e instanceof IOException && e.getMessage() != null ? e.getMessage() : e.toString();
  }

  private static GeneratorProcess openHere(JavaSamplerContext context) throws Refused {
    RunConfig config = null;
    try {
      JsonObject json = Parameters.config(context);
      config = RunConfig.read(json);
      if (!config.load().sampleEach()) {
        refuseRowListeners();
      }
      alone = !Parameters.controlled(context);
      if (alone) {
        Standalone.begin(config, json);
      }
      return GeneratorProcess.open(config, alone);
    } catch (ConfigException e) {
      boolean asParameters = !Parameters.controlled(context);
      refusal = asParameters ? Parameters.message(e) : e.key() + ": " + e.getMessage();
    } catch (IOException | RuntimeException | Error e) {
      refusal = words(e);
    }
    if (config != null && Parameters.controlled(context)) {
      BundleFiles.writeError(config.directory(), config.load().generator(), refusal);
    }
    // Kept, so that a hundred threads of one test do not try a hundred times.
    throw new Refused(refusal);
  }

  /**
   * The controller's line to a generator: a line {@code stop} ends the run, and so does the end of
   * standard input, which follows every death of the controller.
   */
  private static void watchStdin(GeneratorProcess process) {
    Daemons.start(() -> readStdin(process), "shardload-stdin");
  }

  private static void readStdin(GeneratorProcess process) {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      String line;
      while ((line = in.readLine()) != null) {
        if (line.equals("stop")) {
          process.stop("stop");
        }
      }
      process.stop("stdin-closed");
    } catch (IOException e) {
      process.stop("stdin-closed");
    }
  }

  /**
   * Finds listeners that write, show or send the elapsed time of each sample. With slices this time
   * would stand for many transactions and be that of none of them. Listeners that sum up have
   * correct counts in both cases.
   *
   * <p>Refuses slices where a listener of the calling thread takes them for transactions.
   */
  private static void refuseRowListeners() {
    Object current =
        JMeterContextService.getContext().getVariables().getObject(JMeterThread.PACKAGE_OBJECT);
    if (current instanceof SamplePackage samples) {
      for (SampleListener listener : samples.getSampleListeners()) {
        if (listener instanceof TestElement element && takesTimes(element)) {
          String file = element.getPropertyAsString(ResultCollector.FILENAME);
          throw new ConfigException(
              "samples",
              "'slice' combines many transactions in one sample, but listener or JTL '"
                  + (file.isEmpty() ? element.getName() : file)
                  + "' counts each sample as one transaction: set 'each', or remove the listener");
        }
      }
    }
  }

  private static boolean takesTimes(TestElement listener) {
    if (!(listener instanceof ResultCollector collector)) {
      return listener.getClass().getName().equals(BACKEND);
    }
    String view = collector.getPropertyAsString(TestElement.GUI_CLASS);
    return !collector.getFilename().isEmpty() || ROW_VIEWS.stream().anyMatch(view::endsWith);
  }

  /**
   * Ends a run in order when this JVM receives a signal (a Jenkins abort sends one to every process
   * of a build): the workers stop, JMeter tears them down, and the generator writes its last line.
   *
   * <p>Once per JVM, however many tests it runs.
   */
  private static synchronized void installEndHook() {
    if (!endHookInstalled) {
      endHookInstalled = true;
      Runtime.getRuntime()
          .addShutdownHook(new Thread(SharedGenerator::endOnSignal, "shardload-end"));
    }
  }

  private static void endOnSignal() {
    long deadline = System.nanoTime() + END_PATIENCE_MILLIS * 1_000_000;
    try {
      while (stop("signal") && System.nanoTime() < deadline) {
        Thread.sleep(20);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Replaces the controller for a generator without one, in a user's own JMeter: marks the data set
   * before the run, and afterwards settles it from the journal, without reading the documents.
   */
  private static final class Standalone {
    private static final String NOT_READ = "the documents were not read back";

    private Standalone() {}

    /**
     * Marks the data set as being written; it must have been loaded, and be clean. Keeps the
     * configuration in the bundle, so that a report can be made of it.
     */
    static void begin(RunConfig config, JsonObject json) throws IOException {
      if (Files.exists(new BundleLayout(config.directory()).run())) {
        throw new IOException(
            config.directory() + " already contains a run; choose another directory");
      }
      try (Target target = open(config)) {
        Files.createDirectories(config.directory());
        WholeFile.writeJson(new BundleLayout(config.directory()).run(), json);
        DataSet dataSet = DataSet.open(target, config.workload(), config.model(), false);
        BegunRun.refuseLost(config.directory().toAbsolutePath().getParent(), dataSet.header());
        CheckedRun.before(target, config.model(), dataSet.header());
        BegunRun.write(config.directory(), dataSet.begin(config.runId()));
      } catch (CallFailure e) {
        throw new IOException(e.getMessage(), e);
      }
    }

    /** Settles the data set after the generator was closed; returns the result in one line. */
    static String settle(RunConfig config) throws IOException {
      try (Target target = open(config)) {
        Verifier verifier = new Verifier(target, config.workload(), config.model());
        Verification settled =
            config.verification() == VerificationMode.NONE
                ? verifier.skip(config.directory())
                : verifier.settleOnly(config.directory(), NOT_READ);
        // A thread group may end its threads: this does not count as an interruption.
        JsonObject outcome = new JsonObject();
        outcome.addProperty("interrupted", false);
        outcome.addProperty("stopped_by", "thread-group");
        outcome.add("criteria", new JsonArray());
        WholeFile.writeJson(new BundleLayout(config.directory()).outcome(), outcome);
        return settled.reason();
      }
    }

    private static Target open(RunConfig config) {
      return config.driver().open(config.target(), config.session());
    }
  }
}
