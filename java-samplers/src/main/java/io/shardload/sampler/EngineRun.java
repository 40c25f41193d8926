package io.shardload.sampler;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleLayout;
import io.shardload.bundle.WholeFile;
import io.shardload.config.ConfigException;
import io.shardload.generator.GeneratorProcess;
import io.shardload.generator.RunConfig;
import io.shardload.remote.generator.Member;
import io.shardload.remote.generator.Rehearsal;
import io.shardload.remote.generator.RemoteMeeting;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.samplers.SampleSaveConfiguration;
import org.apache.jmeter.save.CSVSaveService;
import org.apache.jmeter.threads.JMeterContext;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.util.JMeterUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A run on a load host, as its engine gets it from the controller. */
final class EngineRun {
  private static final Logger LOG = LoggerFactory.getLogger(EngineRun.class);
  private static final String REHEARSAL = "shardload.rehearsal";
  private static final int WRONG_USE = 1;
  private static final int PART_DIED = 2;

  private final Member member;
  private final JsonObject config;

  private volatile GeneratorProcess opened;

  /** Null unless there is a sample per transaction. */
  private SampleFile samples;

  private EngineRun(Member member, JsonObject config) {
    this.member = member;
    this.config = config;
  }

  static EngineRun of(JsonObject config) {
    Member member = Member.read(config);
    Engine.place(config, member.runId());
    return new EngineRun(member, config);
  }

  static boolean isRehearsal() {
    return JMeterUtils.getPropDefault(REHEARSAL, "false").equals("true");
  }

  String runId() {
    return member.runId();
  }

  /** Rehearses once the engine is free again, so that the run itself can follow at once. */
  void rehearse() {
    Engine.afterTest(
        () -> {
          try {
            String wrong = Rehearsal.perform(member, config, JMeterUtils.getJMeterVersion());
            LOG.info("shardload: rehearsed {}: {}", runId(), wrong.isEmpty() ? "ready" : wrong);
          } catch (RuntimeException e) {
            unreachable(e);
          }
        });
  }

  /**
   * Opens the generator. What is wrong is reported to the controller.
   *
   * @throws IOException it cannot be opened
   */
  GeneratorProcess open() throws IOException {
    Engine.begun(runId(), this::isOverdue);
    RemoteMeeting meeting = null;
    try {
      RunConfig read = RunConfig.read(config);
      meeting = RemoteMeeting.connect(member, read, JMeterUtils.getJMeterVersion());
      if (read.load().sampleEach()) {
        samples = new SampleFile(new BundleLayout(read.directory()).samples());
      }
      GeneratorProcess process = GeneratorProcess.open(read, false, meeting);
      opened = process;
      WholeFile.writeJson(new BundleLayout(read.directory()).run(), config);
      return process;
    } catch (IOException | RuntimeException | Error e) {
      report(e);
      if (meeting != null) {
        meeting.close();
      }
      throw e;
    }
  }

  /** Keeps a transaction's sample where no listener can. */
  void keep(SampleResult sample) throws IOException {
    if (samples != null) {
      samples.write(sample);
    }
  }

  /** After the last sample. */
  void closeSamples() throws IOException {
    if (samples != null) {
      samples.close();
    }
  }

  private boolean isOverdue() {
    GeneratorProcess process = opened;
    return process != null && process.isOverdue();
  }

  private void report(Throwable e) {
    try {
      if (e instanceof ConfigException wrong) {
        Rehearsal.trouble(member, wrong.key(), wrong.getMessage(), WRONG_USE);
      } else {
        String words = e instanceof IOException && e.getMessage() != null ? e.getMessage() : "" + e;
        Rehearsal.trouble(member, "target", words, PART_DIED);
      }
    } catch (RuntimeException unreachable) {
      unreachable(unreachable);
    }
  }

  private void unreachable(RuntimeException e) {
    LOG.error("shardload: cannot report to the controller: {}", e.getMessage());
    Engine.say("cannot reach the Redis of run " + runId() + ": " + e.getMessage());
  }

  /**
   * A JTL with a row per sample, as JMeter's properties describe its columns. On a load host no
   * listener can write the file, because the plan may not contain listeners. Thread-safe.
   */
  static final class SampleFile implements Closeable {
    private final SampleSaveConfiguration columns = SampleSaveConfiguration.staticConfig();
    private final BufferedWriter rows;

    /** Creates the file, which must not exist. */
    SampleFile(Path file) throws IOException {
      Files.createDirectories(file.toAbsolutePath().getParent());
      rows =
          Files.newBufferedWriter(
              file,
              StandardCharsets.UTF_8,
              StandardOpenOption.CREATE_NEW,
              StandardOpenOption.WRITE);
      if (columns.saveFieldNames()) {
        rows.write(CSVSaveService.printableFieldNamesToString(columns));
        rows.newLine();
      }
    }

    /** Writes a sample of the calling thread, which JMeter has not completed yet. */
    void write(SampleResult sample) throws IOException {
      JMeterContext context = JMeterContextService.getContext();
      sample.setSaveConfig(columns);
      sample.setThreadName(Thread.currentThread().getName());
      sample.setGroupThreads(context.getThreadGroup().getNumberOfThreads());
      sample.setAllThreads(JMeterContextService.getNumberOfThreads());
      SampleEvent event = new SampleEvent(sample, context.getThreadGroup().getName());
      String row = CSVSaveService.resultToDelimitedString(event);
      synchronized (rows) {
        rows.write(row);
        rows.newLine();
      }
    }

    @Override
    public void close() throws IOException {
      rows.close();
    }
  }
}
