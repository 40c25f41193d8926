package io.shardload.report.staticpage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.report.staticpage.Drawing.Node.Element;
import io.shardload.report.staticpage.Drawing.Node.Text;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DrawingTest {
  private static final Path RESOURCES = Path.of("src", "main", "resources", "io", "shardload");

  private static String draw(String script) throws IOException {
    Map<String, String> scripts = new LinkedHashMap<>();
    scripts.put("static.js", Files.readString(RESOURCES.resolve(Path.of("report", "static.js"))));
    scripts.put("test.js", script);
    return Drawing.html(scripts, "{\"text\":\"a</script>b\"}");
  }

  @Test
  void runsScriptsOverTheData() throws IOException {
    String html =
        draw(
            "const data = JSON.parse(document.getElementById('data').textContent);"
                + "const p = document.createElement('p');"
                + "p.setAttribute('class', 'x');"
                + "p.append(data.text, 1.5);"
                + "document.getElementById('page').append(p);");
    assertThat(html).isEqualTo("<main><p class=\"x\">a&lt;/script&gt;b1.5</p></main>");
  }

  /** A chart is drawn again in the width of its place, once it has one. */
  @ParameterizedTest
  @ValueSource(strings = {"", "charts", "charts three"})
  void givesChartsTheWidthOfTheirPlace(String place) throws IOException {
    String html =
        draw(
            "const place = document.createElement('div');"
                + "place.setAttribute('class', '%s');".formatted(place)
                + "const chart = document.createElement('i');"
                + "new ResizeObserver(() => requestAnimationFrame(() => {"
                + "  chart.replaceChildren(chart.clientWidth); })).observe(chart);"
                + "place.append(chart);"
                + "document.getElementById('page').append(place);");
    int width = place.isEmpty() ? 1000 : place.equals("charts") ? 540 : 380;
    assertThat(html).contains("<i>" + width + "</i>");
  }

  @ParameterizedTest
  @ValueSource(strings = {"java.lang.System.exit(1)", "Packages.java", "new JavaImporter()"})
  void reachesNoClass(String script) {
    assertThatThrownBy(() -> draw(script)).hasMessageContaining("is not defined");
  }

  @Test
  void namesTheScriptThatFails() {
    assertThatThrownBy(() -> draw("\nnull.x")).hasMessageContaining("test.js#2");
  }

  /** Rhino parses these, and then does something else than a browser. */
  @Test
  void scriptsHoldNothingThatRhinoMisreads() throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(RESOURCES)) {
      files.filter(file -> file.toString().endsWith(".js")).forEach(file -> check(file, found));
    }
    assertThat(found).isEmpty();
    assertThat(misread("for (let i = 0; i < 2; i++) {\n  const j = i;\n}\n")).hasSize(1);
    assertThat(misread("while (true) {\n  if (x) {\n    let j = i;\n  }\n}\n")).hasSize(1);
    assertThat(misread("for (;;) {\n  f();\n}\nconst j = 1;\n")).isEmpty();
    assertThat(misread("all.map(([, b]) => b)")).hasSize(1);
  }

  private static void check(Path file, List<String> found) {
    try {
      misread(Files.readString(file)).forEach(text -> found.add(file + ": " + text));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A declaration in the body of a loop, which keeps its first value; a hole in a pattern. */
  private static List<String> misread(String script) {
    List<String> found = new ArrayList<>();
    Matcher loop =
        Pattern.compile("(?sm)^( *)(?:for|while) \\([^\\n]*\\{\\n(.*?)^\\1\\}").matcher(script);
    while (loop.find()) {
      Matcher declared = Pattern.compile("(?m)^ *(?:const|let) .*$").matcher(loop.group(2));
      declared.results().forEach(one -> found.add(one.group().strip()));
    }
    Pattern.compile("\\[ *,").matcher(script).results().forEach(hole -> found.add("[, hole]"));
    return found;
  }

  @Test
  void escapesTextAndValues() {
    Element inner = new Element("b", Map.of("title", "\"><i>&"), List.of(new Text("<&\">'")));
    assertThat(Drawing.Markup.of(new Element("p", Map.of(), List.of(inner, new Text("&lt;")))))
        .isEqualTo("<p><b title=\"&quot;&gt;&lt;i&gt;&amp;\">&lt;&amp;&quot;&gt;'</b>&amp;lt;</p>");
  }

  @ParameterizedTest
  @ValueSource(strings = {"script", "STYLE", "iframe", "object", "link", "b><i", ""})
  void refusesElements(String name) {
    Element element = new Element(name, Map.of(), List.of());
    assertThatThrownBy(() -> Drawing.Markup.of(element))
        .hasMessage("a static page has no element " + name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"style", "onclick", "OnError", "href", "src", "x y", "a=\""})
  void refusesAttributes(String key) {
    Element element = new Element("p", Map.of(key, "value"), List.of());
    assertThatThrownBy(() -> Drawing.Markup.of(element))
        .hasMessage("a static page has no attribute " + key + ", as of p");
  }

  @ParameterizedTest
  @ValueSource(strings = {"#p", "./../runs/a%20b.1/report.html", "https://ci.example/job/1/?x=y"})
  void acceptsLinks(String address) {
    Element element = new Element("a", Map.of("href", address), List.of());
    assertThat(Drawing.Markup.of(element)).isEqualTo("<a href=\"" + address + "\"></a>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "javascript:alert(1)",
        "data:text/html,x",
        "//host/x",
        "../x",
        "x",
        "#",
        "./x",
        ".//h:1/a.html"
      })
  void refusesAddresses(String address) {
    Element element = new Element("a", Map.of("href", address), List.of());
    assertThatThrownBy(() -> Drawing.Markup.of(element))
        .hasMessage("a static page has no attribute href, as of a");
  }
}
