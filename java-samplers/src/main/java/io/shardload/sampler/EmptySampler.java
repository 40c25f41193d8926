package io.shardload.sampler;

import java.util.concurrent.atomic.LongAdder;
import org.apache.jmeter.protocol.java.sampler.AbstractJavaSamplerClient;
import org.apache.jmeter.protocol.java.sampler.JavaSamplerContext;
import org.apache.jmeter.samplers.SampleResult;

/** A Java Request that does nothing: what JMeter itself costs per sample. */
public final class EmptySampler extends AbstractJavaSamplerClient {
  private static final LongAdder SAMPLES = new LongAdder();
  private static volatile boolean stopped;

  static void reset() {
    SAMPLES.reset();
    stopped = false;
  }

  static void stop() {
    stopped = true;
  }

  static long samples() {
    return SAMPLES.sum();
  }

  @Override
  public SampleResult runTest(JavaSamplerContext context) {
    SampleResult result = new SampleResult();
    result.sampleStart();
    result.sampleEnd();
    result.setSuccessful(true);
    result.setStopThread(stopped);
    SAMPLES.increment();
    return result;
  }
}
