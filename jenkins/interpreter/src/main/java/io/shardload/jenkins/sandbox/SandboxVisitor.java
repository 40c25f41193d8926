package io.shardload.jenkins.sandbox;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.codehaus.groovy.ast.CodeVisitorSupport;
import org.codehaus.groovy.ast.Parameter;
import org.codehaus.groovy.ast.expr.ArrayExpression;
import org.codehaus.groovy.ast.expr.AttributeExpression;
import org.codehaus.groovy.ast.expr.BinaryExpression;
import org.codehaus.groovy.ast.expr.CastExpression;
import org.codehaus.groovy.ast.expr.ClassExpression;
import org.codehaus.groovy.ast.expr.ClosureExpression;
import org.codehaus.groovy.ast.expr.ConstantExpression;
import org.codehaus.groovy.ast.expr.ConstructorCallExpression;
import org.codehaus.groovy.ast.expr.DeclarationExpression;
import org.codehaus.groovy.ast.expr.Expression;
import org.codehaus.groovy.ast.expr.MethodCallExpression;
import org.codehaus.groovy.ast.expr.MethodPointerExpression;
import org.codehaus.groovy.ast.expr.PropertyExpression;
import org.codehaus.groovy.ast.expr.SpreadExpression;
import org.codehaus.groovy.ast.expr.SpreadMapExpression;
import org.codehaus.groovy.ast.expr.StaticMethodCallExpression;
import org.codehaus.groovy.ast.expr.VariableExpression;
import org.codehaus.groovy.ast.stmt.ForStatement;

/** Finds calls, properties and types in the code of a Jenkinsfile that the sandbox refuses. */
final class SandboxVisitor extends CodeVisitorSupport {
  private static final Set<String> OWN =
      Set.of("this", "super", "owner", "delegate", "thisObject", "metaClass", "class", "binding");
  private static final Set<String> OF_BUILD =
      Set.of("result", "currentResult", "description", "displayName", "number");
  private static final Pattern VARIABLE = Pattern.compile("[A-Z][A-Z0-9_]*");

  private final Sandbox sandbox;

  SandboxVisitor(Sandbox sandbox) {
    this.sandbox = sandbox;
  }

  void parameters(Parameter[] parameters) {
    for (Parameter parameter : parameters == null ? new Parameter[0] : parameters) {
      sandbox.annotations(parameter);
      sandbox.type(parameter, parameter.getType());
      if (parameter.getInitialExpression() != null) {
        parameter.getInitialExpression().visit(this);
      }
    }
  }

  @Override
  public void visitMethodCallExpression(MethodCallExpression call) {
    if (!(call.getMethod() instanceof ConstantExpression method)) {
      sandbox.refuse(call, "the name of a method must be a constant");
    } else if (!call.isImplicitThis()) {
      sandbox.method(call, method.getText());
    }
    if (!call.isImplicitThis()) {
      call.getObjectExpression().visit(this);
    }
    call.getMethod().visit(this);
    call.getArguments().visit(this);
  }

  @Override
  public void visitPropertyExpression(PropertyExpression expression) {
    String name = expression.getPropertyAsString();
    Expression object = expression.getObjectExpression();
    String owner = object instanceof VariableExpression variable ? variable.getName() : "";
    boolean known =
        switch (owner) {
          case "params", "env" -> name != null && VARIABLE.matcher(name).matches();
          case "currentBuild" -> name != null && OF_BUILD.contains(name);
          default -> false;
        };
    if (!known) {
      sandbox.refuse(
          expression,
          "property \"%s\": only properties of params, env and currentBuild (%s) are allowed"
              .formatted(name, String.join(", ", OF_BUILD.stream().sorted().toList())));
    }
    super.visitPropertyExpression(expression);
  }

  @Override
  public void visitAttributeExpression(AttributeExpression expression) {
    sandbox.refuse(expression, "fields of objects are not accessible");
  }

  @Override
  public void visitVariableExpression(VariableExpression expression) {
    if (OWN.contains(expression.getName())) {
      sandbox.refuse(expression, "\"%s\" is not accessible".formatted(expression.getName()));
    }
  }

  @Override
  public void visitConstructorCallExpression(ConstructorCallExpression call) {
    sandbox.refuse(call, "\"new %s\": no constructors".formatted(call.getType().getName()));
    super.visitConstructorCallExpression(call);
  }

  @Override
  public void visitStaticMethodCallExpression(StaticMethodCallExpression call) {
    sandbox.method(call, call.getMethod());
    super.visitStaticMethodCallExpression(call);
  }

  @Override
  public void visitMethodPointerExpression(MethodPointerExpression expression) {
    sandbox.refuse(expression, "method pointers are not allowed");
    super.visitMethodPointerExpression(expression);
  }

  @Override
  public void visitCastExpression(CastExpression expression) {
    sandbox.type(expression, expression.getType());
    super.visitCastExpression(expression);
  }

  @Override
  public void visitClassExpression(ClassExpression expression) {
    sandbox.type(expression, expression.getType());
  }

  @Override
  public void visitArrayExpression(ArrayExpression expression) {
    sandbox.refuse(expression, "no arrays");
    super.visitArrayExpression(expression);
  }

  @Override
  protected void visitListOfExpressions(List<? extends Expression> expressions) {
    for (Expression expression : expressions) {
      // The visitor leaves these out.
      if (expression instanceof SpreadExpression spread) {
        sandbox.refuse(spread.getExpression(), "the spread of arguments is not allowed");
      }
    }
    super.visitListOfExpressions(expressions);
  }

  @Override
  public void visitSpreadMapExpression(SpreadMapExpression expression) {
    sandbox.refuse(expression, "the spread of arguments is not allowed");
    super.visitSpreadMapExpression(expression);
  }

  @Override
  public void visitBinaryExpression(BinaryExpression expression) {
    boolean subscript = expression.getOperation().getText().equals("[");
    boolean number =
        expression.getRightExpression() instanceof ConstantExpression index
            && index.getValue() instanceof Integer;
    // With a text a subscript is a property.
    if (subscript && !number) {
      sandbox.refuse(expression, "a subscript must be a constant number");
    }
    super.visitBinaryExpression(expression);
  }

  @Override
  public void visitDeclarationExpression(DeclarationExpression expression) {
    sandbox.annotations(expression);
    if (expression.isMultipleAssignmentDeclaration()) {
      sandbox.refuse(expression, "declare one variable at a time");
    } else {
      sandbox.type(expression, expression.getVariableExpression().getOriginType());
    }
    super.visitDeclarationExpression(expression);
  }

  @Override
  public void visitClosureExpression(ClosureExpression expression) {
    parameters(expression.getParameters());
    super.visitClosureExpression(expression);
  }

  @Override
  public void visitForLoop(ForStatement loop) {
    if (loop.getVariable() != ForStatement.FOR_LOOP_DUMMY) {
      sandbox.type(loop, loop.getVariable().getType());
    }
    super.visitForLoop(loop);
  }
}
