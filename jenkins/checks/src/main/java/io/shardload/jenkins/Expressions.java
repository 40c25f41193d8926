package io.shardload.jenkins;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.codehaus.groovy.ast.expr.BinaryExpression;
import org.codehaus.groovy.ast.expr.BooleanExpression;
import org.codehaus.groovy.ast.expr.ClosureExpression;
import org.codehaus.groovy.ast.expr.ConstantExpression;
import org.codehaus.groovy.ast.expr.DeclarationExpression;
import org.codehaus.groovy.ast.expr.ElvisOperatorExpression;
import org.codehaus.groovy.ast.expr.Expression;
import org.codehaus.groovy.ast.expr.GStringExpression;
import org.codehaus.groovy.ast.expr.ListExpression;
import org.codehaus.groovy.ast.expr.MapEntryExpression;
import org.codehaus.groovy.ast.expr.MapExpression;
import org.codehaus.groovy.ast.expr.MethodCallExpression;
import org.codehaus.groovy.ast.expr.PropertyExpression;
import org.codehaus.groovy.ast.expr.TupleExpression;
import org.codehaus.groovy.ast.expr.VariableExpression;
import org.codehaus.groovy.ast.stmt.ExpressionStatement;
import org.codehaus.groovy.ast.stmt.Statement;

/**
 * Checks Groovy expressions.
 *
 * <p>The sandbox of Jenkins decides while the code runs, by the class of each object. Here a few
 * kinds of expressions are allowed, without constructors, classes and conversions: each object is
 * text, a number, a list or a map, and the sandbox allows each method that is called.
 */
final class Expressions {
  private static final Pattern VARIABLE = Pattern.compile("[A-Z][A-Z0-9_]*");

  private final Source source;
  private final BiConsumer<Call, List<Object>> named;
  private final Set<String> names = new HashSet<>(Set.of("it", "scm"));
  private List<Object> steps;
  private boolean hasDefault;

  /** Whether an option is read: Jenkins computes it before the first build has parameters. */
  boolean isOption;

  /**
   * @param named checks a call by name, with the list that the steps within the expression go to
   */
  Expressions(Source source, BiConsumer<Call, List<Object>> named) {
    this.source = source;
    this.named = named;
  }

  /**
   * Checks an expression.
   *
   * @param found receives the steps that the expression calls, or is null if it must not call any
   */
  void check(Expression expression, List<Object> found) {
    List<Object> before = steps;
    steps = found;
    visit(expression);
    steps = before;
  }

  private void visit(Expression node) {
    if (node instanceof GStringExpression text) {
      text.getValues().forEach(this::visit);
    } else if (node instanceof VariableExpression variable) {
      variable(variable);
    } else if (node instanceof PropertyExpression property) {
      property(property);
    } else if (node instanceof MethodCallExpression call) {
      method(call);
    } else if (node instanceof ElvisOperatorExpression choice) {
      hasDefault = true;
      visit(choice.getTrueExpression());
      hasDefault = false;
      visit(choice.getFalseExpression());
    } else if (node instanceof BooleanExpression condition) {
      visit(condition.getExpression());
    } else if (node instanceof DeclarationExpression declaration) {
      declaration(declaration);
    } else if (node instanceof BinaryExpression operation) {
      operation(operation);
    } else if (node instanceof ListExpression list) {
      list.getExpressions().forEach(this::visit);
    } else if (node instanceof MapExpression map) {
      for (MapEntryExpression entry : map.getMapEntryExpressions()) {
        visit(entry.getKeyExpression());
        visit(entry.getValueExpression());
      }
    } else if (node instanceof ClosureExpression closure) {
      closure(closure);
    } else if (!(node instanceof ConstantExpression)) {
      source.add(node, "\"%s\": no such Groovy in a Jenkinsfile", source.text(node));
    }
  }

  private void variable(VariableExpression node) {
    if (!names.contains(node.getName())) {
      source.add(node, "unknown name \"%s\"", node.getName());
    }
  }

  private void property(PropertyExpression node) {
    String name = String.valueOf(node.getPropertyAsString());
    String owner =
        node.getObjectExpression() instanceof VariableExpression variable ? variable.getName() : "";
    boolean isKnown =
        switch (owner) {
          case "params", "env" -> VARIABLE.matcher(name).matches();
          case "currentBuild" -> name.equals("description");
          default -> false;
        };
    if (!isKnown || node.getClass() != PropertyExpression.class) {
      source.add(
          node,
          "property \"%s\": only params.NAME, env.NAME and currentBuild.description are allowed",
          name);
    } else if (isOption && owner.equals("params") && !hasDefault) {
      source.add(
          node,
          "params.%s in options is null on a job's first build: give a default with ?:",
          name);
    }
  }

  private void method(MethodCallExpression node) {
    Call call = Call.of(node);
    if (call != null) {
      named.accept(call, steps);
      return;
    }
    String name = node.getMethodAsString();
    if (name == null || node.isSpreadSafe() || !Grammar.METHODS.contains(name)) {
      source.add(node, "method \"%s\" of an object must not be called in a Jenkinsfile", name);
      return;
    }
    visit(node.getObjectExpression());
    if (node.getArguments() instanceof TupleExpression arguments) {
      arguments.getExpressions().forEach(this::visit);
    }
  }

  private void declaration(DeclarationExpression node) {
    if (node.isMultipleAssignmentDeclaration()
        || !Grammar.TYPES.contains(node.getVariableExpression().getOriginType().getName())) {
      source.add(node, "declare one variable, of a type of %s", Grammar.TYPES);
      return;
    }
    names.add(node.getVariableExpression().getName());
    visit(node.getRightExpression());
  }

  private void operation(BinaryExpression node) {
    String operator = node.getOperation().getText();
    if (operator.equals("=")) {
      if (!node.getLeftExpression().getText().equals("currentBuild.description")) {
        source.add(node, "only currentBuild.description may be set");
      }
    } else if (!Grammar.OPERATORS.contains(operator)) {
      source.add(node, "operator %s: no such Groovy in a Jenkinsfile", operator);
    } else {
      visit(node.getLeftExpression());
    }
    visit(node.getRightExpression());
  }

  private void closure(ClosureExpression node) {
    if (node.getParameters() != null && node.getParameters().length > 0) {
      source.add(node, "a closure has only the parameter it");
    }
    for (Statement statement : Call.statements(node.getCode())) {
      if (statement instanceof ExpressionStatement expression) {
        check(expression.getExpression(), null);
      } else {
        source.add(statement, "a closure may only compute a value");
      }
    }
  }
}
