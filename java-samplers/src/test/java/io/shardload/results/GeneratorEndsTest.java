package io.shardload.results;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A generator that ended early never ends green, unless the controller ordered it. */
class GeneratorEndsTest extends Finished {
  private BundleFixture.Generator generator;

  @BeforeEach
  void createGoodRun() {
    bundle = new BundleFixture(directory.resolve("runs").resolve("r1"));
    bundle.segment("hold", "hold", 2, 100);
    bundle.load().addProperty("rate_profile", false);
    generator = bundle.generator(0);
    generator.done(0, "hold", "update", 100).done(1, "hold", "update", 100);
  }

  private void exitCode(int code) {
    JsonObject of = BundleFixture.parse("{'g':[{'generator':0,'exit_code':" + code + "}]}");
    bundle.outcome.add("generators", of.get("g"));
  }

  private void file(String name, String content) throws IOException {
    Path path = bundle.directory.resolve(name);
    Files.createDirectories(path.getParent());
    Files.writeString(path, content);
  }

  @ParameterizedTest
  @CsvSource({
    "signal, was ended by a signal",
    "stdin-closed, lost the connection to its controller and stopped",
    "threads-ended, was stopped within JMeter",
    "ordinals-lost, had no more safe new ordinals and stopped",
    "stop, stopped without an order from the controller",
    "schedule, stopped without an order from the controller",
    "anything, stopped without an order from the controller"
  })
  void anEndThatNobodyOrderedIsTold(String reason, String words) throws IOException {
    generator.stopReason = reason;
    generator.endSeconds = 1.5;
    exitCode(0);
    for (String model : new String[] {"open", "closed"}) {
      bundle.load().addProperty("model", model);
      expect(2, "generator 0 " + words + " after 1.5 of 2.0 s");
    }
  }

  /** Mutation: leave the generator's own word out. */
  @Test
  void theReasonWhyOrdinalsAreLostIsTold() throws IOException {
    generator.stopReason = "ordinals-lost";
    generator.endSeconds = 1.5;
    exitCode(0);
    file("latencies/generator-0.error", "Redis has lost the key k");
    expect(
        2,
        "generator 0 had no more safe new ordinals and stopped after 1.5 of 2.0 s: Redis has lost"
            + " the key k");
  }

  @ParameterizedTest
  @ValueSource(strings = {"criterion", "failed-steps", "thread-group"})
  void anOrderedEndIsNone(String stoppedBy) throws IOException {
    generator.stopReason = "stop";
    generator.endSeconds = 1.5;
    bundle.outcome.addProperty("stopped_by", stoppedBy);
    exitCode(0);
    expect(0);
  }

  /** What the controller ordered later is not why it ended. */
  @Test
  void anOrderThatCameTooLateExcusesNothing() throws IOException {
    generator.stopReason = "signal";
    generator.endSeconds = 1.5;
    bundle.outcome.addProperty("stopped_by", "criterion");
    expect(2, "generator 0 was ended by a signal after 1.5 of 2.0 s");
  }

  /** An aborted Jenkins build tells every process. */
  @Test
  void aSignalToAllIsOneInterruption() throws IOException {
    generator.stopReason = "signal";
    bundle.outcome.addProperty("stopped_by", "signal");
    exitCode(143);
    expect(2, "the run was interrupted");
  }

  @Test
  void aGeneratorThatDoesNotEndIsTold() throws IOException {
    generator.stopReason = "stop";
    bundle.outcome.addProperty("stopped_by", "overdue");
    expect(2, "a generator did not end with its schedule, so the controller stopped it");
  }

  @ParameterizedTest
  @CsvSource({
    "1, JMeter exited with code 1",
    "143, JMeter was ended by SIGTERM",
    "-9, JMeter was ended by SIGKILL"
  })
  void jmetersExitCodeIsPartOfTheVerdict(int code, String words) throws IOException {
    exitCode(code);
    expect(2, "generator 0 wrote its last ledger line, but " + words);
  }

  @Test
  void workersThatEndedWhileOthersWentOnAreTold() throws IOException {
    generator.workersEndedEarly = 2;
    generator.workerError = "java.lang.StackOverflowError";
    exitCode(0);
    expect(2, "2 workers of generator 0 ended early: java.lang.StackOverflowError");
  }

  @Test
  void theGeneratorsOwnWordComesFirst() throws IOException {
    bundle.generators.clear();
    bundle.outcome.add("lost_generators", BundleFixture.list("0"));
    exitCode(0);
    file("latencies/generator-0.error", "target.url: nobody listens\n");
    file("taurus/jmeter.log", "2026-01-01 00:00:00,000 ERROR o.a.j.JMeter: something else\n");
    expect(
        5, "generator 0 did not start: target.url: nobody listens; see runs/r1/taurus/jmeter.log");
  }

  @Test
  void theLastErrorOfTheLogStandsForAGeneratorThatWasLost() throws IOException {
    generator.ended = false;
    bundle.outcome.add("lost_generators", BundleFixture.list("0"));
    exitCode(-9);
    String expected = "generator 0 was lost (JMeter was ended by SIGKILL)";
    expect(5, expected);
    file("taurus/jmeter.log", "2026-01-01 00:00:00,000 INFO o.a.j.JMeter: fine\n");
    expect(5, expected + "; see runs/r1/taurus/jmeter.log");
    file(
        "taurus/jmeter.log",
        """
        2026-01-01 00:00:00,000 ERROR o.a.j.JMeter: first
        2026-01-01 00:00:01,000 FATAL o.a.j.JMeter: second
        java.lang.IllegalStateException: wrapped
        \tat somewhere
        Caused by: java.io.IOException: No space left on device
        2026-01-01 00:00:02,000 INFO o.a.j.JMeter: third
        Caused by: nothing
        """);
    expect(
        5,
        expected
            + ": second: java.io.IOException: No space left on device;"
            + " see runs/r1/taurus/jmeter.log");
  }

  @ParameterizedTest
  @CsvSource({
    "Invalid maximum heap size: -Xmx900g|Error: Could not create the Java Virtual Machine.,"
        + " Invalid maximum heap size: -Xmx900g",
    "Error occurred during initialization of VM|Too small maximum heap, Too small maximum heap",
    "#|# There is insufficient memory, # There is insufficient memory"
  })
  void aJvmThatDoesNotStartSaysWhy(String printed, String cause) throws IOException {
    bundle.generators.clear();
    bundle.outcome.add("lost_generators", BundleFixture.list("0"));
    exitCode(1);
    file("taurus/jmeter.out", printed.replace('|', '\n') + "\n");
    expect(
        5,
        "generator 0 did not start (JMeter exited with code 1): "
            + cause
            + "; see runs/r1/taurus/jmeter.out");
  }

  @Test
  void whatTheJvmPrintedLastStandsForAnEmptyLog() throws IOException {
    generator.ended = false;
    bundle.outcome.add("lost_generators", BundleFixture.list("0"));
    file("taurus/jmeter.log", "2026-01-01 00:00:00,000 INFO o.a.j.JMeter: fine\n");
    file(
        "taurus/jmeter.out",
        "Creating summariser\nException: java.lang.OutOfMemoryError thrown\n\tat x.Error\nEnd\n");
    expect(
        5,
        "generator 0 was lost: Exception: java.lang.OutOfMemoryError thrown;"
            + " see runs/r1/taurus/jmeter.out");
  }
}
