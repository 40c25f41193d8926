package io.shardload.sampler;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.shardload.Daemons;
import io.shardload.calibrate.BareLoop;
import io.shardload.calibrate.Measured;
import io.shardload.generator.RunConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.jmeter.config.Arguments;
import org.apache.jmeter.control.LoopController;
import org.apache.jmeter.engine.StandardJMeterEngine;
import org.apache.jmeter.protocol.java.sampler.JavaSampler;
import org.apache.jmeter.testelement.TestPlan;
import org.apache.jmeter.threads.ThreadGroup;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.collections.ListedHashTree;

/**
 * The test stand of {@code calibrate}, a JVM with a JMeter engine inside. One side of a comparison:
 * for each request, a JSON line on standard input, it runs one round and answers with one line. It
 * ends at once when standard input closes, so it never outlives its parent.
 */
public final class BenchMain {
  private BenchMain() {}

  /**
   * Answers requests until it is ended.
   *
   * @param arguments JMeter's home
   */
  public static void main(String[] arguments) throws InterruptedException {
    PrintStream replies = System.out;
    // Libraries that print must not garble the conversation.
    System.setOut(System.err);
    initialize(Path.of(arguments[0]));
    BlockingQueue<String> requests = new LinkedBlockingQueue<>();
    Daemons.start(() -> read(requests), "requests");
    while (true) {
      replies.println(answer(JsonParser.parseString(requests.take()).getAsJsonObject()));
      replies.flush();
    }
  }

  private static void read(BlockingQueue<String> requests) {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      String line;
      while ((line = in.readLine()) != null) {
        requests.add(line);
      }
    } catch (IOException e) {
      // The same as its end.
    }
    Runtime.getRuntime().halt(0);
  }

  private static JsonObject answer(JsonObject request) throws InterruptedException {
    try {
      int seconds = request.get("seconds").getAsInt();
      JsonObject config = request.getAsJsonObject("config");
      return switch (request.get("side").getAsString()) {
        case "harness" -> harness(config, seconds).json();
        case "jmeter" -> jmeter(RunConfig.read(config), seconds).json();
        case "bare" -> BareLoop.round(RunConfig.read(config), false, seconds).json();
        case "plain" -> BareLoop.round(RunConfig.read(config), true, seconds).json();
        default -> throw new IllegalArgumentException("unknown side");
      };
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception | LinkageError e) {
      e.printStackTrace();
      JsonObject error = new JsonObject();
      error.addProperty("error", e.toString());
      return error;
    }
  }

  /** The whole production path; its results are in the bundle that it wrote. */
  private static Measured harness(JsonObject config, int seconds) throws IOException {
    RunConfig read = RunConfig.read(config);
    JMeterUtils.setProperty("shardload.config", config.toString());
    runTest(read.load().workers(), TransactionSampler.class);
    return Measured.ofLedger(read.directory(), seconds);
  }

  private static Measured jmeter(RunConfig config, int seconds)
      throws InterruptedException, ExecutionException {
    EmptySampler.reset();
    FutureTask<Measured> window =
        new FutureTask<>(
            () -> {
              try {
                return Measured.window(seconds, EmptySampler::samples);
              } finally {
                EmptySampler.stop();
              }
            });
    new Thread(window, "window").start();
    runTest(config.load().workers(), EmptySampler.class);
    return window.get().withAll(EmptySampler.samples());
  }

  private static void initialize(Path home) {
    JMeterUtils.setJMeterHome(home.toString());
    JMeterUtils.loadJMeterProperties(home.resolve("bin/jmeter.properties").toString());
    JMeterUtils.initLocale();
  }

  /**
   * The project's test plan, in this JVM: one thread group, one Java Request, no listener.
   *
   * <p>Runs until the sampler stops every thread.
   */
  private static void runTest(int threads, Class<?> sampler) {
    LoopController forever = new LoopController();
    forever.setLoops(LoopController.INFINITE_LOOP_COUNT);
    ThreadGroup group = new ThreadGroup();
    group.setName("workers");
    group.setNumThreads(threads);
    group.setRampUp(0);
    group.setIsSameUserOnNextIteration(true);
    group.setSamplerController(forever);
    JavaSampler request = new JavaSampler();
    request.setName("slice");
    request.setClassname(sampler.getName());
    request.setArguments(new Arguments());

    TestPlan plan = new TestPlan("calibrate");
    plan.setUserDefinedVariables(new Arguments());
    ListedHashTree tree = new ListedHashTree();
    tree.add(plan).add(group).add(request);
    StandardJMeterEngine engine = new StandardJMeterEngine();
    engine.configure(tree);
    engine.run();
  }
}
