package io.shardload.report.staticpage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardload.report.staticpage.Node.Element;
import io.shardload.report.staticpage.Node.Text;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MarkupTest {
  @Test
  void escapesTextAndValues() {
    Element inner = new Element("b", Map.of("title", "\"><i>&"), List.of(new Text("<&\">'")));
    assertThat(Markup.of(new Element("p", Map.of(), List.of(inner, new Text("&lt;")))))
        .isEqualTo("<p><b title=\"&quot;&gt;&lt;i&gt;&amp;\">&lt;&amp;&quot;&gt;'</b>&amp;lt;</p>");
  }

  @ParameterizedTest
  @ValueSource(strings = {"script", "STYLE", "iframe", "object", "link", "b><i", ""})
  void refusesElements(String name) {
    Element element = new Element(name, Map.of(), List.of());
    assertThatThrownBy(() -> Markup.of(element)).hasMessage("a static page has no element " + name);
  }

  @ParameterizedTest
  @ValueSource(strings = {"style", "onclick", "OnError", "href", "src", "x y", "a=\""})
  void refusesAttributes(String key) {
    Element element = new Element("p", Map.of(key, "value"), List.of());
    assertThatThrownBy(() -> Markup.of(element))
        .hasMessage("a static page has no attribute " + key + ", as of p");
  }

  @ParameterizedTest
  @ValueSource(strings = {"javascript:alert(1)", "data:text/html,x", "//host/x", "../x", "x"})
  void refusesAddresses(String address) {
    Element element = new Element("a", Map.of("href", address), List.of());
    assertThatThrownBy(() -> Markup.of(element))
        .hasMessage("a static page has no attribute href, as of a");
  }
}
