package io.shardload.jenkins.lint;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.codehaus.groovy.ast.ASTNode;
import org.codehaus.groovy.ast.CodeVisitorSupport;
import org.codehaus.groovy.ast.MethodNode;
import org.codehaus.groovy.ast.ModuleNode;
import org.codehaus.groovy.ast.expr.BinaryExpression;
import org.codehaus.groovy.ast.expr.MethodCallExpression;
import org.codehaus.groovy.ast.expr.VariableExpression;
import org.codehaus.groovy.ast.stmt.BlockStatement;
import org.codehaus.groovy.ast.stmt.ExpressionStatement;
import org.codehaus.groovy.ast.stmt.IfStatement;
import org.codehaus.groovy.ast.stmt.Statement;

/**
 * Finds steps that return an exit code that nothing checks: {@code int code = sh(...)} must be
 * followed by an {@code if} with the code that calls {@code error}.
 */
final class ExitCodes extends CodeVisitorSupport {
  private final Source source;
  private final Set<MethodCallExpression> checked = new HashSet<>();

  private ExitCodes(Source source) {
    this.source = source;
  }

  static void check(Source source) {
    ModuleNode module = source.module();
    ExitCodes codes = new ExitCodes(source);
    module.getStatementBlock().visit(codes);
    for (MethodNode method : module.getMethods()) {
      method.getCode().visit(codes);
    }
  }

  @Override
  public void visitBlockStatement(BlockStatement block) {
    List<Statement> statements = block.getStatements();
    for (int i = 0; i < statements.size(); i++) {
      if (statements.get(i) instanceof ExpressionStatement statement
          && statement.getExpression() instanceof BinaryExpression assignment
          && assignment.getOperation().getText().equals("=")
          && assignment.getLeftExpression() instanceof VariableExpression variable
          && assignment.getRightExpression() instanceof MethodCallExpression call) {
        boolean ends =
            statements.subList(i + 1, statements.size()).stream()
                .anyMatch(next -> endsBuild(next, variable.getName()));
        if (ends) {
          checked.add(call);
        }
      }
    }
    super.visitBlockStatement(block);
  }

  @Override
  public void visitMethodCallExpression(MethodCallExpression expression) {
    CallNode call = CallNode.of(expression);
    if (call != null
        && call.name().equals("sh")
        && call.isSet("returnStatus")
        && !checked.contains(expression)) {
      source.add(expression, "sh: no if with the returned code calls error");
    }
    super.visitMethodCallExpression(expression);
  }

  private static boolean endsBuild(Statement statement, String variable) {
    return statement instanceof IfStatement condition
        && new Mentions(variable, condition.getBooleanExpression()).variable
        && new Mentions("", condition).error;
  }

  private static final class Mentions extends CodeVisitorSupport {
    private final String name;
    private boolean variable;
    private boolean error;

    Mentions(String name, ASTNode node) {
      this.name = name;
      node.visit(this);
    }

    @Override
    public void visitVariableExpression(VariableExpression expression) {
      variable |= expression.getName().equals(name);
    }

    @Override
    public void visitMethodCallExpression(MethodCallExpression call) {
      error |= call.isImplicitThis() && "error".equals(call.getMethodAsString());
      super.visitMethodCallExpression(call);
    }
  }
}
