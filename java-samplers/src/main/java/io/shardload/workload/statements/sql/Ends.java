package io.shardload.workload.statements.sql;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds where quotes and comments end. */
final class Ends {
  /** A literal with backslashes that continues on another line. */
  private static final Pattern CONTINUED = Pattern.compile("[ \\t\\r\\f]*\\n\\s*'");

  private Ends() {}

  /**
   * The position after the closing quote of the literal or name that begins here; -1 if there is
   * none.
   *
   * @param backslashes whether backslashes escape, and whether the literal may continue on another
   *     line
   */
  static int ofQuote(String text, int begin, boolean backslashes) {
    int end = single(text, begin, backslashes);
    Matcher further = CONTINUED.matcher(text);
    while (backslashes && end > 0 && further.region(end, text.length()).lookingAt()) {
      end = single(text, further.end() - 1, true);
    }
    return end;
  }

  private static int single(String text, int begin, boolean backslashes) {
    char quote = text.charAt(begin);
    for (int i = begin + 1; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\\' && backslashes) {
        i++;
      } else if (c == quote) {
        if (i + 1 == text.length() || text.charAt(i + 1) != quote) {
          return i + 1;
        }
        i++;
      }
    }
    return -1;
  }

  /**
   * The position after a comment with nested comments, as in PostgreSQL; -1 if it is not closed.
   */
  static int ofComment(String text, int begin) {
    int depth = 0;
    int end = begin;
    do {
      if (text.startsWith("/*", end)) {
        depth++;
        end += 2;
      } else if (text.startsWith("*/", end)) {
        depth--;
        end += 2;
      } else {
        end++;
      }
    } while (depth > 0 && end < text.length());
    return depth > 0 ? -1 : end;
  }
}
