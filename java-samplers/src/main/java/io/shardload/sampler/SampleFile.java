package io.shardload.sampler;

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

/**
 * A JTL with a row per sample, as JMeter's properties describe its columns. On a load host no
 * listener can write the file, because the plan may not contain listeners. Thread-safe.
 */
final class SampleFile implements Closeable {
  private final SampleSaveConfiguration columns = SampleSaveConfiguration.staticConfig();
  private final BufferedWriter rows;

  /** Creates the file, which must not exist. */
  SampleFile(Path file) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    rows =
        Files.newBufferedWriter(
            file, StandardCharsets.UTF_8, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
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
