package io.shardload.report;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;

/** What a reader finds on a page, apart from its controls and from how wide its charts are. */
public final class Drawn {
  private static final Pattern CHART =
      Pattern.compile("(?s)<svg [^>]*role=\"img\" aria-label=\"([^\"]*)\"[^>]*>(.*?)</svg>");
  private static final Pattern SERIES =
      Pattern.compile("class=\"([^\"]*)\"[^>]* data-points=\"(\\d+)\"");
  private static final Pattern TEXT =
      Pattern.compile("<text class=\"(value|group)[^>]*>([^<]*)</text>");
  private static final String CONTROLS =
      "(?s)<label class=\"choice\">.*?</label>|<div class=\"tip\""
          + " hidden=\"\">(?:<div>.*?</div>)*</div>|<button"
          + " class=\"copy\".*?</button>|<footer>.*?</footer>";

  private Drawn() {}

  /** The texts in their order; a chart as its label, its lines and their numbers of points. */
  public static List<String> texts(String page) {
    String main = page.substring(page.indexOf("<main"), page.indexOf("</main>"));
    String named = CHART.matcher(main.replaceAll(CONTROLS, "")).replaceAll(Drawn::chart);
    List<String> texts = new ArrayList<>();
    for (String text : named.split("<[^>]*>", -1)) {
      if (!text.isBlank()) {
        texts.add(unescaped(text));
      }
    }
    return texts;
  }

  private static String chart(MatchResult chart) {
    StringBuilder said = new StringBuilder("<i>chart " + chart.group(1));
    Stream.of(SERIES, TEXT)
        .flatMap(pattern -> pattern.matcher(chart.group(2)).results())
        .forEach(one -> said.append(", ").append(one.group(1)).append(' ').append(one.group(2)));
    return Matcher.quoteReplacement(said.append("</i>").toString());
  }

  private static String unescaped(String text) {
    return text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&nbsp;", "\u00a0")
        .replace("&amp;", "&")
        .strip();
  }

  /** How many pixels of a picture have a colour, such as 0x0a5fbf. */
  public static long pixels(Path png, int colour) throws IOException {
    BufferedImage image = ImageIO.read(png.toFile());
    return IntStream.range(0, image.getWidth() * image.getHeight())
        .map(i -> image.getRGB(i % image.getWidth(), i / image.getWidth()) & 0xffffff)
        .filter(rgb -> rgb == colour)
        .count();
  }
}
