package io.shardload.sampler.bench;

import java.nio.file.Path;
import org.apache.jmeter.config.Arguments;
import org.apache.jmeter.control.LoopController;
import org.apache.jmeter.engine.StandardJMeterEngine;
import org.apache.jmeter.protocol.java.sampler.JavaSampler;
import org.apache.jmeter.testelement.TestPlan;
import org.apache.jmeter.threads.ThreadGroup;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.collections.ListedHashTree;

/** The project's test plan, in this JVM: one thread group, one Java Request, no listener. */
final class JmeterTest {
  private JmeterTest() {}

  static void initialize(Path home) {
    JMeterUtils.setJMeterHome(home.toString());
    JMeterUtils.loadJMeterProperties(home.resolve("bin/jmeter.properties").toString());
    JMeterUtils.initLocale();
  }

  /** Runs until the sampler stops every thread. */
  static void run(int threads, Class<?> sampler) {
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
