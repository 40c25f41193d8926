package io.shardload.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.shardload.bundle.BundleFixture;
import io.shardload.bundle.json.Json;
import io.shardload.verify.Finding;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** The elements that Jenkins' junit plugin reads (SuiteResult and CaseResult there). */
class JunitXmlTest {
  @TempDir Path directory;

  private BundleFixture bundle() {
    BundleFixture bundle = new BundleFixture(directory);
    bundle.segment("hold", "hold", 2, 10);
    bundle.generator(0).done(0, "hold", "update", 10).done(1, "hold", "update", 10);
    return bundle;
  }

  /** A run in which everything is wrong that can be, with names that are no XML. */
  private BundleFixture wrong() {
    BundleFixture bundle = bundle();
    bundle.run.getAsJsonObject("target").addProperty("name", "<a&\"b\">");
    bundle.run.getAsJsonObject("run").addProperty("profile", "nul\u0000esc\u001b\uFFFEx");
    String missed = "missed]]>\n\t\r\uD83D\uDE00";
    bundle.run.add(
        "criteria", Json.PRETTY.toJsonTree(List.of(live("never", true), live(missed, true))));
    bundle.outcome.getAsJsonArray("criteria").add(live(missed, false));
    bundle.outcome.addProperty("interrupted", true);
    bundle.verification =
        BundleFixture.parse(
            "{'verdict':'wrong','walked':9,'seconds':0.5,'counts':{'lost':2,'stale':0},'findings':["
                + "{'kind':'lost','ordinal':7,'detail':'filter1 <1>'},"
                + "{'kind':'lost','ordinal':8,'detail':'gone'}]}");
    bundle.load().addProperty("generators", 2);
    bundle.generator(1).done(0, "hold", "update", 3).count(0, "hold", "update", "started", 5);
    bundle.generator(1).ended = false;
    return bundle;
  }

  private static JsonObject live(String text, boolean criterion) {
    JsonObject json =
        BundleFixture.parse(
            criterion
                ? "{'subject':'hits','condition':'>','threshold':1,'timeframe_seconds':5}"
                : "{'passed':false,'detail':'5 < 6 & 7'}");
    json.addProperty("text", text);
    return json;
  }

  private String junit(BundleFixture bundle) throws IOException {
    FinishVerb.finish(bundle.write());
    return Files.readString(directory.resolve("junit.xml"));
  }

  private static String golden(String name) throws IOException {
    try (InputStream file = JunitXmlTest.class.getResourceAsStream("/report/" + name)) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static Element parse(String text)
      throws IOException, ParserConfigurationException, SAXException {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))
        .getDocumentElement();
  }

  /** The cases with a failure, an error or a mark that they were skipped. */
  private List<String> cases(BundleFixture bundle, String result)
      throws IOException, ParserConfigurationException, SAXException {
    NodeList found = parse(junit(bundle)).getElementsByTagName(result);
    List<String> names = new ArrayList<>();
    for (int i = 0; i < found.getLength(); i++) {
      names.add(((Element) found.item(i).getParentNode()).getAttribute("name"));
    }
    return names;
  }

  @Test
  void aGoodRun() throws IOException {
    String text = junit(bundle());
    assertThat(text.replace(directory.toString(), "runs/1")).isEqualTo(golden("junit-good.xml"));
  }

  @Test
  void aRunInWhichEverythingIsWrong() throws IOException {
    String text = junit(wrong());
    assertThat(text.replace(directory.toString(), "runs/1")).isEqualTo(golden("junit-wrong.xml"));
  }

  /** Server and parser get back what was written, or the replacement of what XML cannot hold. */
  @Test
  void namesComeBackAsTheyWere() throws IOException, ParserConfigurationException, SAXException {
    NodeList suites = parse(junit(wrong())).getElementsByTagName("testcase");
    Element last = (Element) suites.item(1);
    assertThat(last.getAttribute("name")).isEqualTo("missed]]>\n\t\r\uD83D\uDE00");
    assertThat(last.getAttribute("classname"))
        .isEqualTo("shardload.<a&\"b\">.document-store.nul\uFFFDesc\uFFFD\uFFFDx.criteria");
  }

  /** A verdict other than ok is a case that is not passed: else a build would look well. */
  @Test
  void anInterruptedRunIsAnError() throws IOException, ParserConfigurationException, SAXException {
    BundleFixture bundle = bundle();
    bundle.outcome.addProperty("interrupted", true);
    assertThat(cases(bundle, "error")).containsExactly("not interrupted");
  }

  @Test
  void aRateThatIsNotReachedFails() throws IOException, ParserConfigurationException, SAXException {
    BundleFixture bundle = bundle();
    bundle.generator(0).dropped(1, "hold", "update", 1_000_000_000, 5);
    assertThat(cases(bundle, "failure")).containsExactly("the target rate is reached");
  }

  /** Turned red: it passed, as it had not been missed. */
  @Test
  void aRateOfNothingIsNotReached() throws IOException, ParserConfigurationException, SAXException {
    assertThat(cases(new BundleFixture(directory).segment("hold", "hold", 2, 100), "skipped"))
        .contains("the target rate is reached");
  }

  @Test
  void stepsOfWhichNoneKeptUpFail() throws IOException, ParserConfigurationException, SAXException {
    BundleFixture bundle = new BundleFixture(directory).segment("step-1", "step", 2, 10);
    bundle.generator(0).done(0, "step-1", "update", 10).done(1, "step-1", "update", 2);
    bundle.generator(0).dropped(1, "step-1", "update", 1_000_000_000, 8);
    assertThat(cases(bundle, "failure")).containsExactly("a step keeps up");
  }

  @Test
  void aWrongAnswerFails() throws IOException, ParserConfigurationException, SAXException {
    BundleFixture bundle = bundle();
    bundle.generator(0).error(1, "hold", "update", "wrong-row", 1);
    assertThat(cases(bundle, "failure")).contains("answers");
  }

  @Test
  void withoutVerificationItsCasesAreSkipped()
      throws IOException, ParserConfigurationException, SAXException {
    BundleFixture bundle = bundle();
    bundle.verification = BundleFixture.parse("{'verdict':'skipped','reason':'none asked'}");
    List<String> names = new ArrayList<>(List.of("run"));
    names.addAll(JunitXml.KINDS);
    assertThat(cases(bundle, "skipped")).isEqualTo(names);
    assertThat(junit(bundle)).contains("<skipped message=\"skipped: none asked\"/>");
  }

  /** Turned red by kinds that pass wherever there is a verdict, be it of documents or of checks. */
  @Test
  void eachCheckIsACaseAndNoDocumentIsOne()
      throws IOException, ParserConfigurationException, SAXException {
    BundleFixture bundle = bundle();
    bundle.verification =
        BundleFixture.parse(
            "{'verdict':'wrong','mode':'checks','scope':'single documents were not verified',"
                + "'counts':{'lost':0},'checks':["
                + "{'name':'sums','when':'before','verdict':'clean','detail':''},"
                + "{'name':'sums','when':'after','verdict':'wrong','detail':'1 row'},"
                + "{'name':'rows','when':'after','verdict':'not run','detail':'no counts'}]}");
    assertThat(cases(bundle, "failure")).containsExactly("check sums after");
    List<String> skipped = new ArrayList<>(List.of("check rows after"));
    skipped.addAll(JunitXml.KINDS);
    assertThat(cases(bundle, "skipped")).isEqualTo(skipped);
  }

  @Test
  void theKindsAreThoseOfTheVerification() {
    assertThat(Arrays.stream(Finding.Kind.values()).map(Finding.Kind::label))
        .containsExactlyElementsOf(JunitXml.KINDS);
  }

  @Test
  void halfACharacterIsReplaced() {
    Xml xml = new Xml();
    xml.text("a", "x\uD800y\uDC00\uFFFFz", "b", "\u0001");
    assertThat(xml.toString()).endsWith("<a b=\"\uFFFD\">x\uFFFDy\uFFFD\uFFFDz</a>\n");
  }
}
