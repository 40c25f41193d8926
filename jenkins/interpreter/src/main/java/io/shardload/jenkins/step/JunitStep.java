package io.shardload.jenkins.step;

import io.shardload.jenkins.build.Build;
import io.shardload.jenkins.build.BuildRecord;
import io.shardload.jenkins.build.Result;
import io.shardload.jenkins.build.StepFailure;
import io.shardload.jenkins.script.Arguments;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import javax.xml.XMLConstants;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * {@code junit}, as {@code JUnitResultsStepExecution}, {@code SuiteResult} and {@code CaseResult}.
 */
public final class JunitStep implements Steps.Step {
  private final Build build;

  JunitStep(Build build) {
    this.build = build;
  }

  @Override
  public Object run(Arguments arguments, Supplier<Object> body, BuildRecord.StepEntry entry)
      throws IOException {
    build.console().print("Recording test results");
    List<Path> files = Globs.files(build.directory(), arguments.string("testResults"), null);
    boolean lenient = arguments.flag("allowEmptyResults");
    if (files.isEmpty() && !lenient) {
      throw new StepFailure("No test report files were found. Configuration error?");
    }
    List<Map<String, Object>> cases = new ArrayList<>();
    for (Path file : files) {
      suite(root(build.directory().resolve(file)), cases);
    }
    if (cases.isEmpty() && !files.isEmpty() && !lenient && build.result() != Result.FAILURE) {
      throw new StepFailure("None of the test reports contained any result");
    }
    return summary(arguments, cases);
  }

  private Object summary(Arguments arguments, List<Map<String, Object>> cases) {
    Map<String, Object> counts = new LinkedHashMap<>();
    for (String status : List.of("passed", "failed", "skipped")) {
      counts.put(status, (int) cases.stream().filter(c -> c.get("status").equals(status)).count());
    }
    Map<String, Object> junit = build.record().junit;
    counts.forEach((status, count) -> junit.merge(status, count, (a, b) -> (int) a + (int) b));
    junit.merge(
        "cases",
        cases,
        (before, added) -> {
          List<Object> all = new ArrayList<>((List<?>) before);
          all.addAll((List<?>) added);
          return all;
        });
    int failed = (int) counts.get("failed");
    if (failed > 0 && !arguments.flag("skipMarkingStageUnstable")) {
      build.warn(Result.UNSTABLE);
      if (!arguments.flag("skipMarkingBuildUnstable")) {
        build.worsen(Result.UNSTABLE);
      }
    }
    return Map.of(
        "failCount", failed,
        "passCount", counts.get("passed"),
        "skipCount", counts.get("skipped"),
        "totalCount", cases.size());
  }

  private static Element root(Path file) throws IOException {
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
      factory.setFeature("http://xml.org/sax/features/external-general-entities", false);
      return factory.newDocumentBuilder().parse(file.toFile()).getDocumentElement();
    } catch (ParserConfigurationException | SAXException e) {
      throw new StepFailure("Failed to read test report file " + file + ": " + e.getMessage());
    }
  }

  private static void suite(Element suite, List<Map<String, Object>> cases) {
    children(suite, "testsuite").forEach(inner -> suite(inner, cases));
    String suiteName = suite.getAttribute("name");
    for (Element error : children(suite, "error")) {
      cases.add(entry(suiteName, suiteName, "<init>", "failed", message(error)));
    }
    for (Element test : children(suite, "testcase")) {
      String name = test.getAttribute("name");
      String className =
          test.hasAttribute("classname") ? test.getAttribute("classname") : suiteName;
      List<Element> skipped = children(test, "skipped");
      List<Element> failures = new ArrayList<>(children(test, "error"));
      failures.addAll(children(test, "failure"));
      String status = !skipped.isEmpty() ? "skipped" : failures.isEmpty() ? "passed" : "failed";
      List<Element> details = skipped.isEmpty() ? failures : skipped;
      String message = details.isEmpty() ? null : message(details.get(0));
      cases.add(entry(suiteName, className, name, status, message));
    }
  }

  private static String message(Element element) {
    return element.hasAttribute("message")
        ? element.getAttribute("message")
        : element.getTextContent().strip();
  }

  private static Map<String, Object> entry(
      String suite, String className, String name, String status, String message) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("suite", suite);
    entry.put("class", className);
    entry.put("name", name);
    entry.put("status", status);
    entry.put("message", message);
    return entry;
  }

  private static List<Element> children(Element parent, String name) {
    List<Element> children = new ArrayList<>();
    for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node instanceof Element element && element.getTagName().equals(name)) {
        children.add(element);
      }
    }
    return children;
  }
}
