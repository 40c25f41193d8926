package io.shardload.jenkins.step;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Files by patterns in the form of Ant, separated by commas. */
public final class Globs {
  private Globs() {}

  /** The files below a folder that match, sorted, without those that an exclusion matches. */
  static List<Path> files(Path folder, String includes, String excludes) throws IOException {
    List<Pattern> included = patterns(includes);
    List<Pattern> excluded = excludes == null ? List.of() : patterns(excludes);
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> paths = Files.walk(folder)) {
      return paths
          .filter(Files::isRegularFile)
          .map(folder::relativize)
          .filter(path -> matches(path, included) && !matches(path, excluded))
          .sorted()
          .toList();
    }
  }

  private static boolean matches(Path path, List<Pattern> patterns) {
    return patterns.stream().anyMatch(pattern -> pattern.matcher(path.toString()).matches());
  }

  private static List<Pattern> patterns(String text) {
    List<Pattern> patterns = new ArrayList<>();
    for (String pattern : text.strip().split("[, ]+", -1)) {
      patterns.add(pattern(pattern.endsWith("/") ? pattern + "**" : pattern));
    }
    return patterns;
  }

  private static Pattern pattern(String glob) {
    StringBuilder regex = new StringBuilder();
    int i = 0;
    while (i < glob.length()) {
      if (glob.startsWith("**/", i)) {
        regex.append("(?:.*/)?");
        i += 3;
      } else if (glob.startsWith("**", i)) {
        regex.append(".*");
        i += 2;
      } else {
        char c = glob.charAt(i++);
        regex.append(c == '*' ? "[^/]*" : c == '?' ? "[^/]" : Pattern.quote(String.valueOf(c)));
      }
    }
    return Pattern.compile(regex.toString());
  }
}
