package io.shardload.jenkins;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.codehaus.groovy.ast.ASTNode;
import org.codehaus.groovy.ast.ModuleNode;
import org.codehaus.groovy.control.MultipleCompilationErrorsException;
import org.codehaus.groovy.control.SourceUnit;
import org.codehaus.groovy.control.messages.SyntaxErrorMessage;

/** The text of a Jenkinsfile, its syntax tree and its problems. */
final class Source {
  private final List<String> lines;
  private final ModuleNode module;
  private final SortedMap<Integer, Set<String>> findings = new TreeMap<>();

  Source(String text) {
    lines = text.lines().toList();
    module = parse(text);
  }

  /** Parses without a compiler, in which {@code @Grab} would fetch a library. */
  private ModuleNode parse(String text) {
    SourceUnit unit = SourceUnit.create("WorkflowScript", text);
    try {
      unit.parse();
      unit.completePhase();
      unit.nextPhase();
      unit.convert();
      return unit.getAST();
    } catch (MultipleCompilationErrorsException e) {
      for (Object error : e.getErrorCollector().getErrors()) {
        if (error instanceof SyntaxErrorMessage syntax) {
          String message = syntax.getCause().getOriginalMessage().lines().findFirst().orElse("");
          add(syntax.getCause().getLine(), message);
        }
      }
      return null;
    }
  }

  /** The syntax tree, or null if the text is not Groovy. */
  ModuleNode module() {
    return module;
  }

  /** The problems by line. */
  SortedMap<Integer, Set<String>> findings() {
    return findings;
  }

  @FormatMethod
  void add(ASTNode node, @FormatString String message, Object... values) {
    add(Math.max(1, node.getLineNumber()), message.formatted(values));
  }

  private void add(int line, String message) {
    findings.computeIfAbsent(line, unused -> new TreeSet<>()).add(message);
  }

  /** The text of a node on one line. */
  String text(ASTNode node) {
    return slice(node, node.getLastLineNumber(), node.getLastColumnNumber());
  }

  /** The text from the start of a node to the start of another one, on one line. */
  String text(ASTNode node, ASTNode next) {
    return slice(node, next.getLineNumber(), next.getColumnNumber());
  }

  private String slice(ASTNode node, int lastLine, int lastColumn) {
    StringBuilder text = new StringBuilder();
    for (int i = node.getLineNumber(); i <= Math.min(lastLine, lines.size()); i++) {
      String line = lines.get(i - 1);
      int from = i == node.getLineNumber() ? node.getColumnNumber() - 1 : 0;
      int to = i == lastLine ? Math.min(lastColumn - 1, line.length()) : line.length();
      text.append(line, from, Math.max(from, to)).append(' ');
    }
    return text.toString().strip().replaceAll("\\s+", " ");
  }

  /** The first character of a node. */
  char first(ASTNode node) {
    String line = lines.get(node.getLineNumber() - 1);
    int column = node.getColumnNumber() - 1;
    return column >= 0 && column < line.length() ? line.charAt(column) : ' ';
  }
}
