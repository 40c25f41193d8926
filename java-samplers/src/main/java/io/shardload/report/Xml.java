package io.shardload.report;

/** Text of an XML 1.0 document; the result is well-formed for any input. */
final class Xml {
  private static final int REPLACEMENT = 0xFFFD;

  private final StringBuilder text =
      new StringBuilder("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
  private int depth;

  /** Opens an element. */
  void open(String name, String... attributes) {
    indent();
    start(name, attributes);
    text.append(">\n");
    depth++;
  }

  void close(String name) {
    depth--;
    indent();
    end(name);
  }

  /** An element without content. */
  void empty(String name, String... attributes) {
    indent();
    start(name, attributes);
    text.append("/>\n");
  }

  /** An element that holds text only. */
  void text(String name, String content, String... attributes) {
    indent();
    start(name, attributes);
    text.append('>');
    escape(content, false);
    end(name);
  }

  private void start(String name, String... attributes) {
    text.append('<').append(name);
    for (int i = 0; i < attributes.length; i += 2) {
      text.append(' ').append(attributes[i]).append("=\"");
      escape(attributes[i + 1], true);
      text.append('"');
    }
  }

  private void end(String name) {
    text.append("</").append(name).append(">\n");
  }

  private void indent() {
    text.append("  ".repeat(depth));
  }

  private void escape(String content, boolean isAttribute) {
    content.codePoints().forEach(c -> escape(c, isAttribute));
  }

  private void escape(int c, boolean isAttribute) {
    switch (c) {
      case '&' -> text.append("&amp;");
      case '<' -> text.append("&lt;");
      case '>' -> text.append("&gt;");
      case '"' -> text.append("&quot;");
      case '\r' -> text.append("&#13;"); // a parser would make it a line feed
      case '\n', '\t' -> {
        if (isAttribute) {
          text.append("&#").append(c).append(';'); // a parser would make it a space
        } else {
          text.appendCodePoint(c);
        }
      }
      default -> text.appendCodePoint(isAllowed(c) ? c : REPLACEMENT);
    }
  }

  /** Whether XML 1.0 has the character; lone halves of a surrogate pair are not characters. */
  private static boolean isAllowed(int c) {
    return (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) || c >= 0x10000;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
