package io.shardload.jenkins;

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
import org.codehaus.groovy.ast.stmt.BlockStatement;
import org.codehaus.groovy.ast.stmt.ExpressionStatement;
import org.codehaus.groovy.ast.stmt.Statement;

/**
 * A call by name, divided into its parts.
 *
 * @param body the block of the call, or null
 */
record Call(
    MethodCallExpression node,
    String name,
    Map<String, Expression> named,
    List<Expression> unnamed,
    ClosureExpression body) {
  /** The call that a statement consists of, or null. */
  static Call of(Statement statement) {
    return statement instanceof ExpressionStatement expression
        ? of(expression.getExpression())
        : null;
  }

  /** The call that an expression consists of, or null. */
  static Call of(Expression expression) {
    if (!(expression instanceof MethodCallExpression call)
        || !call.isImplicitThis()
        || !(call.getMethod() instanceof ConstantExpression method)
        || !(call.getArguments() instanceof TupleExpression arguments)) {
      return null;
    }
    Map<String, Expression> named = new LinkedHashMap<>();
    List<Expression> unnamed = new ArrayList<>();
    ClosureExpression body = null;
    for (Expression argument : arguments.getExpressions()) {
      if (argument instanceof ClosureExpression closure && body == null) {
        body = closure;
      } else if (argument instanceof MapExpression map && unnamed.isEmpty()) {
        for (MapEntryExpression entry : map.getMapEntryExpressions()) {
          named.put(entry.getKeyExpression().getText(), entry.getValueExpression());
        }
      } else {
        unnamed.add(argument);
      }
    }
    return new Call(call, method.getText(), named, unnamed, body);
  }

  /** The statements of the block; none without one. */
  List<Statement> statements() {
    return body == null ? List.of() : statements(body.getCode());
  }

  /** The statements of a block, or the statement itself. */
  static List<Statement> statements(Statement code) {
    return code instanceof BlockStatement block ? block.getStatements() : List.of(code);
  }
}
