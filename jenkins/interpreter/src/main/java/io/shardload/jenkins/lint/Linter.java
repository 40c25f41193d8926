package io.shardload.jenkins.lint;

import io.shardload.jenkins.sandbox.Sandbox;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.codehaus.groovy.ast.expr.DeclarationExpression;
import org.codehaus.groovy.ast.stmt.ExpressionStatement;
import org.codehaus.groovy.ast.stmt.Statement;

/** Checks a declarative Jenkinsfile. */
public final class Linter {
  private Linter() {}

  /** The problems of a Jenkinsfile, by line. */
  public static List<Finding> lint(String text) {
    Source source = new Source(text);
    if (source.module() == null) {
      return List.copyOf(source.findings());
    }
    CallNode pipeline = pipeline(source);
    if (pipeline == null) {
      return List.of(new Finding(1, "no pipeline block"));
    }
    Sandbox.check(source.module(), (node, message) -> source.add(node, "%s", message));
    Facts facts = new Facts(source.module());
    facts.parameters.addAll(source.jobParameters());
    ProjectRules project = new ProjectRules(source);
    Code code = new Code(source, facts, List.of(project, new ShellRules(source, facts)));
    Map<String, CallNode> sections = new Sections(source, code).pipeline(pipeline);
    code.rest();
    facts.overrides(source);
    ExitCodes.check(source);
    project.pipeline(pipeline, sections);
    return new ArrayList<>(source.findings());
  }

  private static boolean isField(Statement statement) {
    return statement instanceof ExpressionStatement expression
        && expression.getExpression() instanceof DeclarationExpression declaration
        && !declaration.getAnnotations().isEmpty();
  }

  private static CallNode pipeline(Source source) {
    CallNode found = null;
    for (Statement statement : source.module().getStatementBlock().getStatements()) {
      CallNode call = CallNode.of(statement);
      if (call != null && call.name().equals("pipeline") && call.body() != null) {
        found = call;
      } else if (!isField(statement)) {
        source.add(statement, "code outside the pipeline");
      }
    }
    return found;
  }
}
