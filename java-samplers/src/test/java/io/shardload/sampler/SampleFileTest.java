package io.shardload.sampler;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.threads.JMeterContextService;
import org.apache.jmeter.threads.ThreadGroup;
import org.apache.jmeter.util.JMeterUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampleFileTest {
  /**
   * Mutations: a sample without columns, which JMeter sets only where it has listeners; no head.
   */
  @Test
  void aTransactionIsARowWithJmetersColumns(@TempDir Path directory) throws Exception {
    Path properties = Files.writeString(directory.resolve("jmeter.properties"), "");
    JMeterUtils.loadJMeterProperties(properties.toString());
    ThreadGroup group = new ThreadGroup();
    group.setName("workers");
    JMeterContextService.getContext().setThreadGroup(group);
    Path file = directory.resolve("run/samples.jtl");
    try (EngineRun.SampleFile samples = new EngineRun.SampleFile(file)) {
      SampleResult sample = SampleResult.createTestSample(12);
      sample.setSampleLabel("insert");
      sample.setSuccessful(true);
      sample.setResponseCode("done");
      samples.write(sample);
    }
    List<String> rows = Files.readAllLines(file);
    assertThat(rows).hasSize(2);
    List<String> head = List.of(rows.get(0).split(",", -1));
    List<String> row = List.of(rows.get(1).split(",", -1));
    assertThat(row).hasSameSizeAs(head);
    assertThat(row.get(head.indexOf("elapsed"))).isEqualTo("12");
    assertThat(row.get(head.indexOf("label"))).isEqualTo("insert");
    assertThat(row.get(head.indexOf("responseCode"))).isEqualTo("done");
    assertThat(row.get(head.indexOf("success"))).isEqualTo("true");
    assertThat(row.get(head.indexOf("threadName"))).isEqualTo(Thread.currentThread().getName());
  }
}
