package io.shardload.report;

import com.google.gson.JsonElement;
import io.shardload.bundle.WholeFile;
import io.shardload.bundle.json.Json;
import io.shardload.config.ConfigException;
import io.shardload.report.staticpage.Drawing;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A page without script, inline style and data address, for servers whose content security policy
 * forbids them, such as Jenkins: {@code index.html} and {@code shardload.css}.
 *
 * <p>The scripts that draw the page in a browser draw it here, once. Charts are elements of the
 * page, styled by its CSS file: they follow the reader's theme and print, and their text can be
 * found. An SVG file in an {@code img} loads no CSS file, and such a policy forbids inline styles
 * when it is opened by itself.
 */
public final class StaticPage {
  private static final String PAGE = "index.html";
  private static final String STYLE = "shardload.css";
  private static final String MARK = "<meta name=\"generator\" content=\"shardload\">";

  private StaticPage() {}

  /**
   * Draws the page and writes its two files; other files in the folder stay as they are.
   *
   * @param folder created if it is missing
   * @param styles resources below {@code io/shardload}, such as {@code report/page.css}
   * @param scripts the same, in the order in which they run
   * @throws ConfigException if the folder cannot be written to, or its index.html is not a
   *     shardload page
   */
  public static void write(
      Path folder, String title, List<String> styles, List<String> scripts, JsonElement data)
      throws IOException {
    check(folder);
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("report/static.js", OfflinePage.resource("report/static.js"));
    for (String script : scripts) {
      texts.put(script, OfflinePage.resource(script));
    }
    String page = Drawing.html(texts, Json.FOR_HTML.toJson(data));
    List<String> all = new ArrayList<>(styles);
    all.add("report/static.css");
    WholeFile.write(folder.resolve(STYLE), OfflinePage.join(all));
    WholeFile.write(
        in(folder),
        OfflinePage.fill(
            "report/static.html", Map.of("title", OfflinePage.escape(title), "page", page)));
  }

  /** The page to open. */
  public static Path in(Path folder) {
    return folder.resolve(PAGE);
  }

  /**
   * Creates the folder if it is missing. Before long work it reports the problems that {@link
   * #write} would report afterwards.
   *
   * @throws ConfigException as {@link #write}
   */
  public static void check(Path folder) {
    Path page = in(folder);
    try {
      Files.createDirectories(folder);
      if (Files.exists(page) && !isOurs(page)) {
        throw refused(folder, "its index.html is not a shardload page; choose another folder");
      }
    } catch (FileAlreadyExistsException e) {
      throw refused(folder, "it is a file");
    } catch (FileSystemException e) {
      throw refused(folder, e.getReason() == null ? "no such folder" : e.getReason());
    } catch (IOException e) {
      throw refused(folder, e.toString());
    }
    if (!Files.isWritable(folder)) {
      throw refused(folder, "no permission to write there");
    }
  }

  /** Accepts any encoding, because the file may be from another program. */
  private static boolean isOurs(Path page) throws IOException {
    return new String(Files.readAllBytes(page), StandardCharsets.UTF_8).contains(MARK);
  }

  private static ConfigException refused(Path folder, String reason) {
    return new ConfigException("", "cannot write a page to %s: %s".formatted(folder, reason));
  }
}
