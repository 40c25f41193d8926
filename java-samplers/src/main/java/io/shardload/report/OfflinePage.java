package io.shardload.report;

import com.google.gson.JsonElement;
import io.shardload.bundle.json.Json;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One HTML file that makes no network request.
 *
 * <p>The page is a template with a style sheet, a script and its data as JSON. Its content security
 * policy allows exactly that style and that script, by hash. The data is escaped so that it cannot
 * end its own element, and the script writes text with textContent only, so nothing that a run, a
 * server or a file name contributes can become markup.
 */
public final class OfflinePage {
  private static final Pattern PLACE = Pattern.compile("@([a-z-]+)@");

  private OfflinePage() {}

  /**
   * The page.
   *
   * @param styles resources below {@code io/shardload}, such as {@code report/page.css}
   * @param scripts the same, in the order in which they run
   * @param lines for readers without scripts
   */
  public static String html(
      String title, List<String> styles, List<String> scripts, JsonElement data, List<String> lines)
      throws IOException {
    String style = join(styles);
    String script = join(scripts) + resource("report/interaction.js");
    Map<String, String> places =
        Map.of(
            "title", escape(title),
            "style-hash", hash(style),
            "script-hash", hash(script),
            "style", style,
            "script", script,
            "lines", escape(String.join("\n", lines)),
            "data", Json.FOR_HTML.toJson(data));
    return fill("report/page.html", places);
  }

  /** In one pass: inserted text is not searched for placeholders again. */
  static String fill(String template, Map<String, String> places) throws IOException {
    return PLACE
        .matcher(resource(template))
        .replaceAll(place -> Matcher.quoteReplacement(places.get(place.group(1))));
  }

  static String join(List<String> names) throws IOException {
    StringBuilder all = new StringBuilder();
    for (String name : names) {
      all.append(resource(name)).append('\n');
    }
    return all.toString();
  }

  static String resource(String name) throws IOException {
    try (InputStream stream = OfflinePage.class.getResourceAsStream("/io/shardload/" + name)) {
      if (stream == null) {
        throw new FileNotFoundException("the class path lacks io/shardload/" + name);
      }
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** As a content security policy names an inline element: {@code sha256-} and base64. */
  private static String hash(String element) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] bytes = digest.digest(element.getBytes(StandardCharsets.UTF_8));
      return "sha256-" + Base64.getEncoder().encodeToString(bytes);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
