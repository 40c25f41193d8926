package io.shardload.sampler;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFiles;
import io.shardload.config.ConfigException;
import io.shardload.generator.GeneratorProcess;
import io.shardload.generator.LoadThread;
import io.shardload.generator.RunConfig;
import java.io.IOException;
import org.apache.jmeter.protocol.java.sampler.JavaSamplerContext;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.util.JMeterUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one generator of this JVM: opened by the first thread of a test, closed by the last one to be
 * torn down (JMeter tears all down when the test has ended).
 */
final class SharedGenerator {
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
      EndHook.install();
      if (!Engine.isHere() && JMeterUtils.getPropDefault("shardload.stdin", "").equals("watch")) {
        StdinWatch.start(process);
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
        RowListeners.refuse();
      }
      alone = !Parameters.controlled(context);
      if (alone) {
        Standalone.begin(config, json);
      }
      return GeneratorProcess.open(config, alone);
    } catch (ConfigException e) {
      boolean asParameters = !Parameters.controlled(context);
      refusal = asParameters ? ParameterNames.message(e) : e.key() + ": " + e.getMessage();
    } catch (IOException | RuntimeException | Error e) {
      refusal = words(e);
    }
    if (config != null && Parameters.controlled(context)) {
      BundleFiles.writeError(config.directory(), config.load().generator(), refusal);
    }
    // Kept, so that a hundred threads of one test do not try a hundred times.
    throw new Refused(refusal);
  }
}
