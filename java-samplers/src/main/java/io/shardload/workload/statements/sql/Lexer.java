package io.shardload.workload.statements.sql;

import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlRules;
import io.shardload.workload.statements.sql.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Cuts SQL into tokens by the lexical rules of a system. Used once, by one thread. */
final class Lexer {
  /** A literal with backslashes that continues on another line. */
  private static final Pattern CONTINUED = Pattern.compile("[ \\t\\r\\f]*\\n\\s*'");

  private static final Pattern WORD =
      Pattern.compile("[A-Za-z_\\x{80}-\\x{10FFFF}][\\w$\\x{80}-\\x{10FFFF}]*");
  private static final Pattern NUMBER = Pattern.compile("(?:[0-9]|\\.[0-9])[0-9A-Za-z_.]*");
  private static final Pattern SPACE = Pattern.compile("\\s+");

  private static final Pattern DOLLAR =
      Pattern.compile("\\$(?:[A-Za-z_\\x{80}-\\x{10FFFF}][A-Za-z0-9_\\x{80}-\\x{10FFFF}]*)?\\$");
  private static final Pattern ARGUMENT = Pattern.compile("\\$[0-9]+");
  private static final Pattern LINE_COMMENT = Pattern.compile("--[^\\n]*");
  private static final Pattern HASH_COMMENT = Pattern.compile("(?:#|--(?=\\s|\\z))[^\\n]*");
  private static final Pattern VARIANT =
      Pattern.compile("--\\s*variant\\s*", Pattern.CASE_INSENSITIVE);
  private static final Pattern NEARLY_VARIANT =
      Pattern.compile("--\\s*variants?\\s*(?:[^\\s\\w].*|[0-9]+\\s*)?", Pattern.CASE_INSENSITIVE);
  private static final Pattern PARAMETER =
      Pattern.compile(":([\\w$\\x{80}-\\x{10FFFF}]+)(?:\\.[A-Za-z_]\\w*)*");
  private static final Pattern PSQL_VARIABLE = Pattern.compile(":(['\"])(\\w+)\\1");
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*");
  private static final Pattern PSQL = Pattern.compile("\\\\(\\w*)[^\\n]*");

  /** Words after which a colon in brackets cannot separate the bounds of a slice. */
  private static final Set<String> NO_BOUND =
      Set.of(
          "and",
          "or",
          "not",
          "case",
          "when",
          "then",
          "else",
          "between",
          "in",
          "like",
          "ilike",
          "is",
          "from",
          "select",
          "where",
          "distinct",
          "similar",
          "to",
          "any",
          "all",
          "some");

  private final String file;
  private final String text;
  private final SqlRules rules;
  private final boolean literals;
  private final Consumer<Problem> problems;
  private final List<Token> tokens = new ArrayList<>();
  private final List<Token> open = new ArrayList<>();

  /** The last token that is not white space. */
  private Token last = new Token(Kind.SEMICOLON, ";", 1);

  private int at;
  private int line = 1;

  private Lexer(
      String file, String text, SqlRules rules, boolean literals, Consumer<Problem> problems) {
    this.rules = rules;
    this.file = file;
    this.text = text;
    this.literals = literals;
    this.problems = problems;
  }

  /**
   * The tokens of a file. After a problem they only serve to find further problems.
   *
   * @param file its name in messages
   * @param literals whether {@code :'name'} is a parameter within a literal, as in psql
   */
  static List<Token> tokens(
      String file, String text, SqlRules rules, boolean literals, Consumer<Problem> problems) {
    Lexer lexer = new Lexer(file, text, rules, literals, problems);
    while (lexer.at < text.length()) {
      lexer.next();
    }
    lexer.closed();
    return lexer.tokens;
  }

  private void next() {
    char first = text.charAt(at);
    Matcher found;
    if ((found = match(SPACE)) != null) {
      add(Kind.SPACE, found.group(), found.end());
    } else if ((found = match(rules.hashes() ? HASH_COMMENT : LINE_COMMENT)) != null) {
      lineComment(found);
    } else if (text.startsWith("/*", at)) {
      blockComment();
    } else if (rules.quotes().indexOf(first) >= 0) {
      quoted(first);
    } else if (first == '$' && rules.dollars()) {
      dollar();
    } else if ((found = match(WORD)) != null) {
      add(Kind.WORD, found.group(), found.end());
    } else if ((found = match(NUMBER)) != null) {
      add(Kind.NUMBER, found.group(), found.end());
    } else if (first == ':') {
      colon();
    } else if (first == '\\') {
      psql(match(PSQL));
    } else if (first == ';' && open.isEmpty()) {
      add(Kind.SEMICOLON, ";", at + 1);
    } else {
      symbol(first);
    }
  }

  private Matcher match(Pattern pattern) {
    Matcher matcher = pattern.matcher(text).region(at, text.length());
    matcher.useTransparentBounds(true);
    return matcher.lookingAt() ? matcher : null;
  }

  private void add(Kind kind, String shown, int end) {
    Token token = new Token(kind, shown, line);
    tokens.add(token);
    if (kind != Kind.SPACE) {
      last = token;
    }
    pass(end);
  }

  private void pass(int end) {
    line += lines(at, end);
    at = end;
  }

  private int lines(int from, int end) {
    return (int) text.substring(from, end).chars().filter(c -> c == '\n').count();
  }

  private void problem(String what) {
    problems.accept(new Problem(new Place(file, line), what));
  }

  /** A literal after the letter E has backslash escapes, where not every quoted text has them. */
  @SuppressWarnings("ReferenceEquality") // Identity, not equality.
  private boolean escapes(char quote) {
    return rules.backslashes()
        ? quote != '`'
        : quote == '\'' && at > 0 && last.isWord("e") && tokens.get(tokens.size() - 1) == last;
  }

  private void quoted(char quote) {
    int end = endOfQuote(text, at, escapes(quote));
    if (end < 0) {
      problem(
          switch (quote) {
            case '\'' -> "the literal is not closed";
            case '"' -> "the name in double quotes is not closed";
            default -> "the name in backticks is not closed";
          });
      pass(text.length());
      return;
    }
    add(Kind.QUOTED, text.substring(at, end), end);
  }

  private void dollar() {
    Matcher quote = match(DOLLAR);
    Matcher argument = match(ARGUMENT);
    if (quote != null) {
      int end = text.indexOf(quote.group(), quote.end());
      if (end < 0) {
        problem("the literal that begins with " + quote.group() + " is not closed");
        pass(text.length());
        return;
      }
      end += quote.group().length();
      add(Kind.QUOTED, text.substring(at, end), end);
    } else if (argument != null) {
      problem(argument.group() + " has no name: write :name, a parameter of workload.yml");
      pass(argument.end());
    } else {
      symbol('$');
    }
  }

  private void lineComment(Matcher comment) {
    int begin = text.lastIndexOf('\n', at) + 1;
    boolean alone = text.substring(begin, at).isBlank();
    if (alone && VARIANT.matcher(comment.group()).matches()) {
      closed();
      add(Kind.VARIANT, "", comment.end());
    } else {
      if (alone && NEARLY_VARIANT.matcher(comment.group().strip()).matches()) {
        problem("the line that separates variants must be exactly \"-- variant\"");
      }
      pass(comment.end());
    }
  }

  private void blockComment() {
    int end = endOfComment(text, at, rules.nested());
    if (end < 0) {
      problem("the comment is not closed");
      pass(text.length());
      return;
    }
    int lines = lines(at, end);
    add(Kind.SPACE, lines == 0 ? " " : "\n".repeat(lines), end);
  }

  private void colon() {
    Matcher named = match(PARAMETER);
    Matcher variable = match(PSQL_VARIABLE);
    if (text.startsWith("::", at) || text.startsWith(":=", at)) {
      add(Kind.SYMBOL, text.substring(at, at + 2), at + 2);
    } else if (dividesBounds()) {
      symbol(':');
    } else if (variable != null && literals) {
      String quote = variable.group(1);
      add(Kind.SYMBOL, quote, at);
      add(Kind.PARAMETER, variable.group(2), at);
      add(Kind.SYMBOL, quote, variable.end());
    } else if (variable != null) {
      problem("%s is psql syntax: write :%s".formatted(variable.group(), variable.group(2)));
      pass(variable.end());
    } else if (named == null) {
      if (inBrackets()) {
        symbol(':');
      } else {
        problem("the colon does not begin a parameter: write \":name\"");
        pass(at + 1);
      }
    } else if (inBrackets() && Character.isDigit(named.group(1).charAt(0))) {
      symbol(':');
    } else {
      parameter(named);
    }
  }

  private void parameter(Matcher named) {
    if (NAME.matcher(named.group(1)).matches()) {
      add(Kind.PARAMETER, named.group().substring(1), named.end());
    } else {
      problem(named.group() + " is not a parameter: names consist of a-z, 0-9 and _");
      pass(named.end());
    }
  }

  private boolean inBrackets() {
    return !open.isEmpty() && open.get(open.size() - 1).is("[");
  }

  /** In {@code a[low:high]} the colon follows a value. */
  private boolean dividesBounds() {
    if (!inBrackets()) {
      return false;
    }
    return switch (last.kind()) {
      case NUMBER, QUOTED, PARAMETER -> true;
      case WORD -> !NO_BOUND.contains(last.text().toLowerCase(Locale.ROOT));
      case SYMBOL -> last.is(")") || last.is("]");
      default -> false;
    };
  }

  private void psql(Matcher command) {
    if (command.group(1).startsWith("set")) {
      problem(
          "\\%s is a pgbench command: define parameters in workload.yml"
              .formatted(command.group(1)));
    } else {
      problem("\\%s is not SQL: psql commands are not supported".formatted(command.group(1)));
    }
    pass(command.end());
  }

  private void symbol(char first) {
    if (first == '?' && !rules.operators()) {
      problem("? has no name: write :name, a parameter of workload.yml");
    }
    if (first == '(' || first == '[') {
      open.add(new Token(Kind.SYMBOL, String.valueOf(first), line));
    } else if (first == ')' || first == ']') {
      if (open.isEmpty() || open.get(open.size() - 1).is("(") != (first == ')')) {
        problem("\"" + first + "\" has no opening bracket");
      } else {
        open.remove(open.size() - 1);
      }
    }
    add(Kind.SYMBOL, String.valueOf(first), at + 1);
  }

  /** A semicolon in brackets ends no statement, so a missing bracket takes the rest of the file. */
  private void closed() {
    if (!open.isEmpty()) {
      Token bracket = open.get(open.size() - 1);
      problems.accept(
          new Problem(new Place(file, bracket.line()), "\"" + bracket.text() + "\" is not closed"));
      open.clear();
    }
  }

  /**
   * The position after the closing quote of the literal or name that begins here; -1 if there is
   * none.
   *
   * @param backslashes whether backslashes escape, and whether the literal may continue on another
   *     line
   */
  private static int endOfQuote(String text, int begin, boolean backslashes) {
    int end = endOfPart(text, begin, backslashes);
    Matcher further = CONTINUED.matcher(text);
    while (backslashes && end > 0 && further.region(end, text.length()).lookingAt()) {
      end = endOfPart(text, further.end() - 1, true);
    }
    return end;
  }

  private static int endOfPart(String text, int begin, boolean backslashes) {
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

  /** The position after a comment; -1 if it is not closed. */
  private static int endOfComment(String text, int begin, boolean nested) {
    int depth = 0;
    int end = begin;
    do {
      if (text.startsWith("/*", end) && (nested || depth == 0)) {
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
