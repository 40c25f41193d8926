package io.shardload.report.staticpage;

import io.shardload.report.staticpage.Node.Element;
import io.shardload.report.staticpage.Node.Text;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Elements as HTML that a policy without any inline style or script accepts.
 *
 * <p>Text and values are escaped here, once. A script, a style or a handler in a drawn page is a
 * defect. So is an address, except in a link to the web: the page loads nothing.
 */
final class Markup {
  private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9-]*");
  private static final Set<String> NEVER =
      Set.of("script", "style", "link", "iframe", "object", "embed", "base", "meta", "form");
  private static final Set<String> ADDRESSES =
      Set.of("href", "src", "srcset", "action", "formaction", "data", "poster", "background");
  private static final Pattern WEB = Pattern.compile("https?://\\S+");
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
    return name.equals("a") && key.equals("href") && WEB.matcher(value).matches();
  }

  /** For text and for values between double quotes. */
  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
