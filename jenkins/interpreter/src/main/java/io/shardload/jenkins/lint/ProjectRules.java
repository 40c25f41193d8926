package io.shardload.jenkins.lint;

import java.util.Map;
import java.util.Set;
import org.codehaus.groovy.ast.CodeVisitorSupport;
import org.codehaus.groovy.ast.expr.PropertyExpression;
import org.codehaus.groovy.ast.expr.VariableExpression;
import org.codehaus.groovy.ast.stmt.BlockStatement;
import org.codehaus.groovy.ast.stmt.Statement;

/** The rules of this project on the pipeline as a whole, on results and on secrets. */
final class ProjectRules implements Code.Rule {
  private static final Set<String> PRINTING =
      Set.of("echo", "print", "println", "error", "unstable");

  private final Source source;
  private boolean archives;
  private boolean publishesTests;
  private boolean publishesTestsInPost;

  ProjectRules(Source source) {
    this.source = source;
  }

  @Override
  public void check(CallNode call, Context context) {
    if (call.name().equals("archiveArtifacts")) {
      archives = true;
      if (!context.post()) {
        source.add(
            call.node(), "archiveArtifacts belongs into post: a failed build has results, too");
      }
    }
    if (call.name().equals("junit")) {
      publishesTests = true;
      publishesTestsInPost |= context.post();
    }
    if (PRINTING.contains(call.name())) {
      call.node().getArguments().visit(new Secrets(call, context));
    }
  }

  /** What belongs to the pipeline as a whole; called after its steps. */
  void pipeline(CallNode pipeline, Map<String, CallNode> sections) {
    if (!has(sections.get("post"), "always")) {
      source.add(
          pipeline.node(),
          "post with \"always\" is missing: an aborted build must leave its results");
    }
    if (!has(sections.get("options"), "disableConcurrentBuilds")) {
      source.add(pipeline.node(), "option \"disableConcurrentBuilds\" is missing");
    }
    if (!archives) {
      source.add(pipeline.node(), "archiveArtifacts is missing");
    }
    if (!publishesTests || !publishesTestsInPost) {
      source.add(pipeline.node(), "junit is missing in post: a failed build has results, too");
    }
  }

  private static boolean has(CallNode section, String entry) {
    if (section == null || !(section.body().getCode() instanceof BlockStatement block)) {
      return false;
    }
    for (Statement statement : block.getStatements()) {
      CallNode call = CallNode.of(statement);
      if (call != null && call.name().equals(entry)) {
        return true;
      }
    }
    return false;
  }

  /** Finds variables that withCredentials binds. */
  private final class Secrets extends CodeVisitorSupport {
    private final CallNode call;
    private final Context context;

    Secrets(CallNode call, Context context) {
      this.call = call;
      this.context = context;
    }

    @Override
    public void visitVariableExpression(VariableExpression expression) {
      found(expression.getName());
    }

    @Override
    public void visitPropertyExpression(PropertyExpression expression) {
      if (expression.getObjectExpression().getText().equals("env")) {
        found(expression.getPropertyAsString());
      }
      super.visitPropertyExpression(expression);
    }

    private void found(String name) {
      if (context.secrets().contains(name)) {
        source.add(call.node(), "%s prints the secret %s", call.name(), name);
      }
    }
  }
}
