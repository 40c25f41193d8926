package io.shardload.report.staticpage;

import io.shardload.report.staticpage.Drawing.Node.Element;
import io.shardload.report.staticpage.Drawing.Node.Text;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.Function;
import org.mozilla.javascript.NativeArray;
import org.mozilla.javascript.Scriptable;
import org.mozilla.javascript.ScriptableObject;

/** Runs scripts of a page over {@code report/static.js}, in Rhino. */
public final class Drawing {
  private Drawing() {}

  /**
   * What the scripts drew, as HTML.
   *
   * @param scripts by their names, in the order in which they run; the first makes the document
   * @param data as JSON, which the scripts read from the element {@code data}
   * @throws IllegalStateException if a script fails, or draws what a static page must not have
   */
  public static String html(Map<String, String> scripts, String data) {
    Context context = Context.enter();
    try {
      context.setLanguageVersion(Context.VERSION_ES6);
      // Scripts run once, so compiling them costs more than it saves.
      context.setInterpretedMode(true);
      context.setClassShutter(name -> false);
      ScriptableObject scope = context.initSafeStandardObjects();
      ScriptableObject.putConstProperty(scope, "DATA", data);
      scripts.forEach((name, text) -> context.evaluateString(scope, text, name, 1, null));
      Function layOut = (Function) ScriptableObject.getProperty(scope, "layOut");
      Object page = layOut.call(context, scope, scope, new Object[0]);
      return Markup.of(element((Scriptable) page));
    } finally {
      Context.exit();
    }
  }

  private static Element element(Scriptable drawn) {
    Map<String, String> attributes = new LinkedHashMap<>();
    Scriptable set = (Scriptable) ScriptableObject.getProperty(drawn, "attributes");
    for (Object key : set.getIds()) {
      attributes.put(key.toString(), ScriptableObject.getProperty(set, key.toString()).toString());
    }
    List<Node> children = new ArrayList<>();
    for (Object child : (NativeArray) ScriptableObject.getProperty(drawn, "children")) {
      children.add(child instanceof Scriptable inner ? element(inner) : new Text(child.toString()));
    }
    return new Element(
        ScriptableObject.getProperty(drawn, "localName").toString(), attributes, children);
  }

  /**
   * Elements as HTML that a policy without any inline style or script accepts.
   *
   * <p>Text and values are escaped here, once. A script, a style or a handler in a drawn page is a
   * defect. So is an address, except in a link: to the web, to a part of the page, or to a page
   * next to it. The page loads nothing.
   */
  static final class Markup {
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9-]*");
    private static final Set<String> NEVER =
        Set.of("script", "style", "link", "iframe", "object", "embed", "base", "meta", "form");
    private static final Set<String> ADDRESSES =
        Set.of("href", "src", "srcset", "action", "formaction", "data", "poster", "background");
    private static final Pattern LINK =
        Pattern.compile("https?://\\S+|#[a-z0-9-]+|\\./[\\w.%~!'()*/-]+\\.html");
    private static final Set<String> WITHOUT_END = Set.of("br", "hr", "img", "wbr", "input");

    private final StringBuilder html = new StringBuilder();

    private Markup() {}

    static String of(Element element) {
      Markup markup = new Markup();
      markup.element(element);
      return markup.html.toString();
    }

    private void element(Element element) {
      String name = element.name();
      if (!NAME.matcher(name).matches() || NEVER.contains(name.toLowerCase(Locale.ROOT))) {
        throw new IllegalStateException("a static page has no element " + name);
      }
      html.append('<').append(name);
      element.attributes().forEach((key, value) -> attribute(name, key, value));
      html.append('>');
      if (WITHOUT_END.contains(name)) {
        return;
      }
      for (Node child : element.children()) {
        if (child instanceof Text text) {
          html.append(escape(text.value()));
        } else if (child instanceof Element inner) {
          element(inner);
        }
      }
      html.append("</").append(name).append('>');
      if (name.equals("section") || name.equals("tr") || name.equals("svg")) {
        html.append('\n');
      }
    }

    private void attribute(String name, String key, String value) {
      String plain = key.toLowerCase(Locale.ROOT);
      if (!NAME.matcher(key).matches()
          || plain.startsWith("on")
          || plain.equals("style")
          || (ADDRESSES.contains(plain) && !isLink(name, plain, value))) {
        throw new IllegalStateException(
            "a static page has no attribute %s, as of %s".formatted(key, name));
      }
      html.append(' ').append(key).append("=\"").append(escape(value)).append('"');
    }

    private static boolean isLink(String name, String key, String value) {
      return name.equals("a") && key.equals("href") && LINK.matcher(value).matches();
    }

    /** For text and for values between double quotes. */
    static String escape(String text) {
      return text.replace("&", "&amp;")
          .replace("<", "&lt;")
          .replace(">", "&gt;")
          .replace("\"", "&quot;");
    }
  }

  /** A node of a drawn page. */
  sealed interface Node {
    /**
     * An element.
     *
     * @param name of HTML or SVG
     * @param attributes in the order in which they were set
     * @param children in their order
     */
    record Element(String name, Map<String, String> attributes, List<Node> children)
        implements Node {}

    /**
     * Text, not escaped.
     *
     * @param value not escaped
     */
    record Text(String value) implements Node {}
  }
}
