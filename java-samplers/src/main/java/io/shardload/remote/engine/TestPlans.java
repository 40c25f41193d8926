package io.shardload.remote.engine;

import io.shardload.config.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.jmeter.JMeter;
import org.apache.jmeter.samplers.Remoteable;
import org.apache.jmeter.save.SaveService;
import org.apache.jmeter.testelement.TestElement;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.collections.HashTree;
import org.apache.jorphan.collections.SearchByClass;

/** Reads test plans with JMeter's own reader, in a process other than JMeter. */
final class TestPlans {
  private TestPlans() {}

  /**
   * Reads a plan as an engine gets it: without what is disabled.
   *
   * @throws ConfigException if the plan cannot be read, or has a listener that would call this
   *     process back: for that JMeter would open a port here
   */
  static HashTree load(Path plan, Path jmeterHome) {
    prepare(jmeterHome);
    HashTree tree;
    try {
      tree = JMeter.convertSubTree(SaveService.loadTree(plan.toFile()), false);
    } catch (IOException | RuntimeException e) {
      throw new ConfigException(
          "", "the test plan %s cannot be read: %s".formatted(plan, firstLines(e)));
    }
    SearchByClass<Remoteable> remote = new SearchByClass<>(Remoteable.class);
    tree.traverse(remote);
    List<String> names =
        remote.getSearchResults().stream()
            .map(element -> "\"%s\"".formatted(((TestElement) element).getName()))
            .toList();
    if (!names.isEmpty()) {
      throw new ConfigException(
          "",
          "the test plan %s sends samples from load hosts to the controller: remove or disable %s"
              .formatted(plan, String.join(", ", names)));
    }
    return tree;
  }

  /** JMeter explains a broken plan on a page; the third line has its cause. */
  private static String firstLines(Exception e) {
    return String.valueOf(e.getMessage()).lines().limit(3).collect(Collectors.joining(" "));
  }

  private static synchronized void prepare(Path home) {
    if (JMeterUtils.getJMeterProperties() != null) {
      return;
    }
    Path properties = home.resolve("bin").resolve("jmeter.properties");
    if (!Files.isRegularFile(properties)) {
      throw new ConfigException("", "no JMeter in %s".formatted(home));
    }
    JMeterUtils.setJMeterHome(home.toString());
    JMeterUtils.loadJMeterProperties(properties.toString());
  }
}
