package io.shardload.jenkins.lint;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.codehaus.groovy.ast.expr.ClosureExpression;
import org.codehaus.groovy.ast.expr.ConstantExpression;
import org.codehaus.groovy.ast.expr.Expression;
import org.codehaus.groovy.ast.expr.MapEntryExpression;
import org.codehaus.groovy.ast.expr.MapExpression;
import org.codehaus.groovy.ast.expr.MethodCallExpression;
import org.codehaus.groovy.ast.expr.TupleExpression;
import org.codehaus.groovy.ast.stmt.ExpressionStatement;
import org.codehaus.groovy.ast.stmt.Statement;

/**
 * A call by name, divided into its parts.
 *
 * @param body the block of the call, or null
 */
record CallNode(
    MethodCallExpression node,
    String name,
    Map<String, Expression> named,
    List<Expression> unnamed,
    ClosureExpression body) {
  /** The call that a statement consists of, or null. */
  static CallNode of(Statement statement) {
    return statement instanceof ExpressionStatement expression
        ? of(expression.getExpression())
        : null;
  }

  /** The call that an expression consists of, or null. */
  static CallNode of(Expression expression) {
    if (!(expression instanceof MethodCallExpression call)
        || !call.isImplicitThis()
        || !(call.getMethod() instanceof ConstantExpression method)) {
      return null;
    }
    Map<String, Expression> named = new LinkedHashMap<>();
    List<Expression> unnamed = new ArrayList<>();
    ClosureExpression body = null;
    if (call.getArguments() instanceof TupleExpression arguments) {
      for (Expression argument : arguments.getExpressions()) {
        if (argument instanceof ClosureExpression closure) {
          body = closure;
        } else if (argument instanceof MapExpression map && unnamed.isEmpty()) {
          for (MapEntryExpression entry : map.getMapEntryExpressions()) {
            named.put(entry.getKeyExpression().getText(), entry.getValueExpression());
          }
        } else {
          unnamed.add(argument);
        }
      }
    }
    return new CallNode(call, method.getText(), named, unnamed, body);
  }

  /** An argument by its name, or the unnamed one that stands for it; null if there is none. */
  Expression argument(String argument, String sole) {
    Expression value = named.get(argument);
    boolean unnamedOne = value == null && argument.equals(sole) && unnamed.size() == 1;
    return unnamedOne ? unnamed.get(0) : value;
  }

  /** Whether a flag is, or may be, true. */
  boolean isSet(String flag) {
    Expression value = named.get(flag);
    return value != null
        && !(value instanceof ConstantExpression constant
            && Boolean.FALSE.equals(constant.getValue()));
  }

  /** The constant text of an argument, or null. */
  String text(String argument, String sole) {
    Expression value = argument(argument, sole);
    return value instanceof ConstantExpression constant
            && constant.getValue() instanceof String text
        ? text
        : null;
  }
}
