package io.shardload.jenkins.lint;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A shell script: its words, the variables in them, and everything beyond one simple command. */
final class ShellText {
  private static final Pattern VARIABLE = Pattern.compile("\\$(?:([A-Za-z_]\\w*)|\\{(\\w+))");
  private static final String OPERATORS = ";&|<>()\n`";

  private final String text;
  private final List<String> words = new ArrayList<>();
  private final List<String> quoted = new ArrayList<>();
  private final List<String> bare = new ArrayList<>();
  private final List<String> operators = new ArrayList<>();
  private final StringBuilder word = new StringBuilder();
  private int position;

  ShellText(String script) {
    text = script.strip();
    while (position < text.length()) {
      read(text.charAt(position));
    }
    endWord();
  }

  List<String> words() {
    return words;
  }

  /** Variables in double quotes. */
  List<String> quoted() {
    return quoted;
  }

  /** Variables whose values the shell would split. */
  List<String> bare() {
    return bare;
  }

  /** What makes the script more than one command with its arguments. */
  List<String> operators() {
    return operators;
  }

  private void read(char c) {
    if (c == '\\') {
      word.append(text, position, Math.min(position + 2, text.length()));
      position += 2;
    } else if (c == '\'') {
      int end = text.indexOf('\'', position + 1);
      end = end < 0 ? text.length() : end;
      word.append(text, position + 1, end);
      position = end + 1;
    } else if (c == '"') {
      position++;
      doubleQuoted();
    } else if (c == '$') {
      variable(bare);
    } else if (OPERATORS.indexOf(c) >= 0) {
      endWord();
      operators.add(c == '\n' ? "a second line" : String.valueOf(c));
      position++;
    } else if (Character.isWhitespace(c)) {
      endWord();
      position++;
    } else {
      word.append(c);
      position++;
    }
  }

  private void doubleQuoted() {
    while (position < text.length() && text.charAt(position) != '"') {
      char c = text.charAt(position);
      if (c == '$') {
        variable(quoted);
      } else {
        if (c == '`') {
          operators.add("`");
        }
        int length = c == '\\' ? 2 : 1;
        word.append(text, position, Math.min(position + length, text.length()));
        position += length;
      }
    }
    position++;
  }

  private void variable(List<String> variables) {
    Matcher matcher = VARIABLE.matcher(text).region(position, text.length());
    if (text.startsWith("$(", position)) {
      operators.add("$(");
    } else if (matcher.lookingAt()) {
      variables.add(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
      word.append(matcher.group());
      position = matcher.end();
      return;
    }
    word.append('$');
    position++;
  }

  private void endWord() {
    if (!word.isEmpty()) {
      words.add(word.toString());
      word.setLength(0);
    }
  }
}
