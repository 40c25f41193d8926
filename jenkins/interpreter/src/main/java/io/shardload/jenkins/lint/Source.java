package io.shardload.jenkins.lint;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import io.shardload.jenkins.sandbox.Sandbox;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.codehaus.groovy.ast.ASTNode;
import org.codehaus.groovy.ast.ModuleNode;
import org.codehaus.groovy.control.CompilationUnit;
import org.codehaus.groovy.control.MultipleCompilationErrorsException;
import org.codehaus.groovy.control.Phases;
import org.codehaus.groovy.control.SourceUnit;
import org.codehaus.groovy.control.messages.SyntaxErrorMessage;

/** The text of a Jenkinsfile, its syntax tree and its problems. */
final class Source {
  private static final Pattern JOB_PARAMETERS =
      Pattern.compile("\\s*// Parameters of the job: (\\w+(?:, \\w+)*)");

  private final List<String> lines;
  private final ModuleNode module;
  private final SortedSet<Finding> findings = new TreeSet<>();

  Source(String text) {
    lines = text.lines().toList();
    module = parse(text);
  }

  private ModuleNode parse(String text) {
    CompilationUnit unit = new CompilationUnit(Sandbox.configuration());
    SourceUnit source = unit.addSource("WorkflowScript", text);
    try {
      unit.compile(Phases.CONVERSION);
      return source.getAST();
    } catch (MultipleCompilationErrorsException e) {
      for (Object error : e.getErrorCollector().getErrors()) {
        if (error instanceof SyntaxErrorMessage syntax) {
          String message = syntax.getCause().getOriginalMessage().lines().findFirst().orElse("");
          findings.add(new Finding(syntax.getCause().getLine(), message));
        }
      }
      return null;
    }
  }

  /** The syntax tree, or null if the text is not Groovy. */
  ModuleNode module() {
    return module;
  }

  SortedSet<Finding> findings() {
    return findings;
  }

  @FormatMethod
  void add(ASTNode node, @FormatString String message, Object... values) {
    findings.add(new Finding(Math.max(1, node.getLineNumber()), message.formatted(values)));
  }

  /**
   * The names that a comment lists as parameters of the job, which the Jenkinsfile does not
   * declare.
   */
  List<String> jobParameters() {
    return lines.stream()
        .map(JOB_PARAMETERS::matcher)
        .filter(Matcher::matches)
        .flatMap(found -> Stream.of(found.group(1).split(", ")))
        .toList();
  }

  /** The first character of a node in the text. */
  char first(ASTNode node) {
    String line = lines.get(node.getLineNumber() - 1);
    int column = node.getColumnNumber() - 1;
    return column >= 0 && column < line.length() ? line.charAt(column) : ' ';
  }
}
