package io.shardload.sampler;

import io.shardload.generator.LoadThread;
import io.shardload.workload.Outcome;
import java.time.Duration;
import java.time.Instant;
import org.apache.jmeter.config.Arguments;
import org.apache.jmeter.protocol.java.sampler.AbstractJavaSamplerClient;
import org.apache.jmeter.protocol.java.sampler.JavaSamplerContext;
import org.apache.jmeter.samplers.SampleResult;

/**
 * JMeter's view of a generator: a Java Request that runs the mix. One per thread; all threads of a
 * JVM share one generator.
 *
 * <p>For load runs one sample stands for a slice of about 100 ms of transactions (label {@code
 * slice}, with sample and error counts): every transaction is in the histograms, and JMeter costs
 * as little as a bare loop. With {@code samples: each} there is one sample per transaction, with
 * its own label, for the GUI and for listeners.
 */
public final class TransactionSampler extends AbstractJavaSamplerClient {
  private LoadThread thread;
  private boolean each;
  private String refusal;
  private Instant asked;

  @Override
  public Arguments getDefaultParameters() {
    return Parameters.defaults();
  }

  @Override
  public void setupTest(JavaSamplerContext context) {
    asked = Instant.now();
    try {
      thread = SharedGenerator.join(context);
      each = SharedGenerator.sampleEach();
    } catch (SharedGenerator.Refused e) {
      refusal = e.getMessage();
      if (!SharedGenerator.isRehearsal()) {
        getNewLogger().error("shardload: {}", refusal);
      }
    }
  }

  @Override
  public SampleResult runTest(JavaSamplerContext context) {
    if (refusal != null) {
      return refused();
    }
    Instant start = Instant.now();
    LoadThread.Slice slice = each ? thread.single() : thread.slice();
    SampleResult result;
    if (each && slice.transactions() > 0) {
      result = one();
      SharedGenerator.keep(result);
    } else {
      result = slice(start, slice);
    }
    result.setStopThread(slice.over());
    if (slice.transactions() == 0) {
      // Nothing was due, so JMeter must not count a sample.
      result.setIgnore();
    }
    return result;
  }

  @Override
  public void teardownTest(JavaSamplerContext context) {
    if (thread != null) {
      SharedGenerator.leave();
    } else {
      SharedGenerator.forgetRefusal();
    }
  }

  private static SampleResult slice(Instant start, LoadThread.Slice slice) {
    long elapsedMillis = Duration.between(start, Instant.now()).toMillis();
    SampleResult result = SampleResult.createTestSample(elapsedMillis);
    result.setSampleLabel("slice");
    result.setSampleCount((int) slice.transactions());
    result.setErrorCount((int) slice.errors());
    result.setSuccessful(slice.errors() == 0);
    result.setResponseCodeOK();
    return result;
  }

  private SampleResult one() {
    long service = thread.lastServiceNanos();
    SampleResult result = SampleResult.createTestSample(millis(service));
    result.setSampleLabel(thread.lastTransaction());
    result.setConnectTime(millis(Math.max(0, thread.lastConnectNanos())));
    result.setLatency(
        millis(Math.max(0, thread.lastConnectNanos()) + Math.max(0, thread.lastSearchNanos())));
    OutcomeView view = OutcomeView.of(thread.lastOutcome());
    result.setSuccessful(view.successful());
    result.setResponseCode(view.code());
    result.setResponseMessage(view.message());
    return result;
  }

  /**
   * The elapsed time counts from the first attempt to open the generator, so a listener does not
   * show 1970.
   */
  private SampleResult refused() {
    SampleResult result =
        SampleResult.createTestSample(asked.toEpochMilli(), Instant.now().toEpochMilli());
    result.setSampleLabel("shardload");
    result.setSuccessful(false);
    result.setResponseCode("refused");
    result.setResponseMessage(refusal);
    result.setStopTest(true);
    return result;
  }

  private static long millis(long nanos) {
    return Math.round(nanos / 1e6);
  }

  /** An outcome in the fields of a JMeter sample. */
  private record OutcomeView(boolean successful, String code, String message) {
    static OutcomeView of(Outcome outcome) {
      if (outcome instanceof Outcome.Done done) {
        return new OutcomeView(
            true, "done", done.rows() + " rows" + (done.stale() ? ", stale" : ""));
      }
      if (outcome instanceof Outcome.Missing missing) {
        return new OutcomeView(true, "missing", missing.stale() ? "stale" : "nothing found");
      }
      if (outcome instanceof Outcome.Refused) {
        return new OutcomeView(true, "refused", "a guard was not met");
      }
      if (outcome instanceof Outcome.Failed failed) {
        return new OutcomeView(false, "failed", failed.kind());
      }
      return new OutcomeView(false, "unknown", ((Outcome.Unknown) outcome).kind());
    }
  }
}
