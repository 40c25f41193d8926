package io.shardload.jenkins.lint;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.codehaus.groovy.ast.ASTNode;
import org.codehaus.groovy.ast.CodeVisitorSupport;
import org.codehaus.groovy.ast.MethodNode;
import org.codehaus.groovy.ast.ModuleNode;
import org.codehaus.groovy.ast.Parameter;
import org.codehaus.groovy.ast.expr.BinaryExpression;
import org.codehaus.groovy.ast.expr.ClosureExpression;
import org.codehaus.groovy.ast.expr.ConstantExpression;
import org.codehaus.groovy.ast.expr.DeclarationExpression;
import org.codehaus.groovy.ast.expr.Expression;
import org.codehaus.groovy.ast.expr.ListExpression;
import org.codehaus.groovy.ast.expr.MethodCallExpression;
import org.codehaus.groovy.ast.expr.PropertyExpression;
import org.codehaus.groovy.ast.expr.VariableExpression;
import org.codehaus.groovy.ast.stmt.ForStatement;

/** The names that a Jenkinsfile declares. */
final class Facts {
  /** Variables of every build, and the global ones of this project's controller. */
  private static final Set<String> GLOBAL =
      Set.of(
          "BUILD_DISPLAY_NAME",
          "BUILD_ID",
          "BUILD_NUMBER",
          "BUILD_TAG",
          "BUILD_URL",
          "EXECUTOR_NUMBER",
          "HOME",
          "JENKINS_URL",
          "JOB_BASE_NAME",
          "JOB_NAME",
          "JOB_URL",
          "NODE_LABELS",
          "NODE_NAME",
          "PATH",
          "SHARDLOAD_GRAFANA_URL",
          "SHARDLOAD_RUNS",
          "SHARDLOAD_STORE_URL",
          "STAGE_NAME",
          "WORKSPACE",
          "WORKSPACE_TMP");

  final Set<String> parameters = new HashSet<>();
  final Set<String> variables = new HashSet<>(GLOBAL);
  final Set<String> locals = new HashSet<>();
  final Map<String, MethodNode> helpers = new HashMap<>();

  /** Where the Jenkinsfile sets variables of the environment. */
  private final Map<ASTNode, String> declared = new LinkedHashMap<>();

  Facts(ModuleNode module) {
    Collector collector = new Collector();
    module.getStatementBlock().visit(collector);
    for (MethodNode method : module.getMethods()) {
      helpers.put(method.getName(), method);
      addLocals(method.getParameters());
      method.getCode().visit(collector);
    }
  }

  /** Finds variables that Jenkins, a parameter or a target sets, and that the file sets again. */
  void overrides(Source source) {
    declared.forEach(
        (node, name) -> {
          boolean ofOthers = GLOBAL.contains(name) || name.startsWith("SHARDLOAD_");
          boolean plain = name.matches("\\w+");
          if (ofOthers || parameters.contains(name) || !plain) {
            source.add(node, "variable \"%s\" must not be set here", name);
          }
        });
    parameters.stream()
        .filter(name -> GLOBAL.contains(name) || name.startsWith("SHARDLOAD_"))
        .forEach(
            name ->
                source.add(source.module(), "parameter \"%s\" has the name of a variable", name));
  }

  private void declare(ASTNode node, String name) {
    variables.add(name);
    declared.put(node, name);
  }

  private void addLocals(Parameter[] declared) {
    for (Parameter parameter : declared == null ? new Parameter[0] : declared) {
      locals.add(parameter.getName());
    }
  }

  private final class Collector extends CodeVisitorSupport {
    @Override
    public void visitMethodCallExpression(MethodCallExpression expression) {
      CallNode call = CallNode.of(expression);
      if (call != null && call.name().equals("parameters") && call.body() != null) {
        call.body().visit(new Parameters());
      } else if (call != null && call.name().equals("environment") && call.body() != null) {
        call.body().visit(new Environment());
      } else if (call != null && call.name().equals("lock")) {
        addConstant(call.named().get("variable"));
      } else if (call != null && call.name().equals("withEnv")) {
        addPairs(call);
      }
      super.visitMethodCallExpression(expression);
    }

    private void addPairs(CallNode call) {
      if (!(call.argument("overrides", "overrides") instanceof ListExpression pairs)) {
        declare(call.node(), "?");
        return;
      }
      for (Expression pair : pairs.getExpressions()) {
        declare(pair, pair.getText().replaceFirst("=.*", ""));
      }
    }

    @Override
    public void visitForLoop(ForStatement loop) {
      locals.add(loop.getVariable().getName());
      super.visitForLoop(loop);
    }

    @Override
    public void visitDeclarationExpression(DeclarationExpression expression) {
      if (!expression.isMultipleAssignmentDeclaration()) {
        locals.add(expression.getVariableExpression().getName());
      }
      super.visitDeclarationExpression(expression);
    }

    @Override
    public void visitClosureExpression(ClosureExpression expression) {
      addLocals(expression.getParameters());
      super.visitClosureExpression(expression);
    }

    @Override
    public void visitBinaryExpression(BinaryExpression expression) {
      if (expression.getOperation().getText().equals("=")
          && expression.getLeftExpression() instanceof PropertyExpression property
          && property.getObjectExpression().getText().equals("env")) {
        declare(expression, String.valueOf(property.getPropertyAsString()));
      }
      super.visitBinaryExpression(expression);
    }
  }

  private void addConstant(Expression value) {
    if (value instanceof ConstantExpression constant) {
      declare(value, constant.getText());
    }
  }

  private final class Parameters extends CodeVisitorSupport {
    @Override
    public void visitMethodCallExpression(MethodCallExpression expression) {
      CallNode call = CallNode.of(expression);
      if (call != null && call.named().get("name") instanceof ConstantExpression name) {
        parameters.add(name.getText());
      }
    }
  }

  private final class Environment extends CodeVisitorSupport {
    @Override
    public void visitBinaryExpression(BinaryExpression expression) {
      if (expression.getLeftExpression() instanceof VariableExpression name) {
        declare(expression, name.getName());
      }
    }
  }
}
