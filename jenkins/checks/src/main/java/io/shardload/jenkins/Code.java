package io.shardload.jenkins;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.codehaus.groovy.ast.ASTNode;
import org.codehaus.groovy.ast.ClassNode;
import org.codehaus.groovy.ast.ImportNode;
import org.codehaus.groovy.ast.MethodNode;
import org.codehaus.groovy.ast.ModuleNode;
import org.codehaus.groovy.ast.expr.ConstantExpression;
import org.codehaus.groovy.ast.expr.DeclarationExpression;
import org.codehaus.groovy.ast.expr.Expression;
import org.codehaus.groovy.ast.stmt.EmptyStatement;
import org.codehaus.groovy.ast.stmt.ExpressionStatement;
import org.codehaus.groovy.ast.stmt.IfStatement;
import org.codehaus.groovy.ast.stmt.ReturnStatement;
import org.codehaus.groovy.ast.stmt.Statement;

/**
 * Reads and checks steps, and the Groovy code around them.
 *
 * <p>A step or an option is {@code name}, {@code line}, {@code arguments} (constants by their
 * values, computed ones as text) and {@code steps}, those of its block. In {@code script} there are
 * also conditions with {@code if} (text), {@code then} and {@code else}, and other code with {@code
 * code} (text); {@code steps} has the steps that are called within the condition or the code.
 */
final class Code {
  private static final String FIELD = "groovy.transform.Field";

  private final Source source;
  private final Map<String, MethodNode> functions = new HashMap<>();
  private final Set<String> calling = new HashSet<>();
  private final Expressions expressions;

  Code(Source source) {
    this.source = source;
    expressions = new Expressions(source, this::named);
  }

  /** Checks what is outside of the pipeline; returns the pipeline, or null. */
  Call pipeline() {
    ModuleNode module = source.module();
    imports(module);
    for (ClassNode node : module.getClasses()) {
      if (!node.isScript()) {
        source.add(node, "a Jenkinsfile must not have the class \"%s\"", node.getName());
      }
    }
    module.getMethods().forEach(method -> functions.put(method.getName(), method));
    Call pipeline = null;
    for (Statement statement : module.getStatementBlock().getStatements()) {
      Call call = Call.of(statement);
      if (call != null && call.name().equals("pipeline") && call.body() != null) {
        pipeline = call;
      } else if (isField(statement)) {
        expressions.check(((ExpressionStatement) statement).getExpression(), null);
      } else {
        source.add(statement, "code outside of the pipeline");
      }
    }
    if (pipeline == null) {
      source.add(module, "there is no pipeline { }");
    }
    module.getMethods().forEach(this::function);
    return pipeline;
  }

  private void imports(ModuleNode module) {
    Stream.<Collection<ImportNode>>of(
            module.getImports(),
            module.getStarImports(),
            module.getStaticImports().values(),
            module.getStaticStarImports().values())
        .flatMap(Collection::stream)
        .filter(node -> !FIELD.equals(node.getClassName()) || !node.getAnnotations().isEmpty())
        .forEach(node -> source.add(node, "only %s may be imported", FIELD));
    if (module.getPackage() != null) {
      source.add(module.getPackage(), "a Jenkinsfile must not have a package");
    }
  }

  private static boolean isField(Statement statement) {
    return statement instanceof ExpressionStatement expression
        && expression.getExpression() instanceof DeclarationExpression declaration
        && declaration.getAnnotations().size() == 1
        && declaration.getAnnotations().get(0).getClassNode().getName().equals("Field");
  }

  /** A function computes a value: all steps are in the pipeline, in their order. */
  private void function(MethodNode method) {
    List<Statement> statements = Call.statements(method.getCode());
    if (statements.size() != 1
        || !(statements.get(0) instanceof ReturnStatement value)
        || !method.getAnnotations().isEmpty()
        || method.getParameters().length > 0
        || !Grammar.TYPES.contains(method.getReturnType().getName())) {
      source.add(
          method,
          "function %s: only a return is allowed, of the type %s, without parameters",
          method.getName(),
          Grammar.TYPES);
    } else if (Grammar.STEPS.containsKey(method.getName())) {
      source.add(method, "function %s has the name of a step", method.getName());
    } else if (calling.add(method.getName())) {
      expressions.check(value.getExpression(), null);
      calling.remove(method.getName());
    }
  }

  /** An option or a parameter. */
  Map<String, Object> option(Call call, Signature signature) {
    expressions.isOption = true;
    Map<String, Object> read = call(call, signature, false);
    expressions.isOption = false;
    return read;
  }

  /** The text of the condition in a block. */
  String condition(Call call) {
    for (Statement statement : call.statements()) {
      if (statement instanceof ExpressionStatement expression) {
        expressions.check(expression.getExpression(), null);
      } else {
        source.add(statement, "%s: only a condition is allowed", call.name());
      }
    }
    String text = call.body() == null ? "" : source.text(call.body());
    return text.replaceAll("^\\{ ?| ?\\}$", "");
  }

  /** The steps of a block; Groovy code is allowed only in script. */
  List<Object> steps(Call block, boolean isScript) {
    List<Object> steps = new ArrayList<>();
    if (block.statements().isEmpty()) {
      source.add(block.node(), "%s: the block has no steps", block.name());
    }
    block.statements().forEach(statement -> statement(statement, isScript, steps));
    return steps;
  }

  private void statement(Statement statement, boolean isScript, List<Object> steps) {
    Call call = Call.of(statement);
    if (call != null && Grammar.STEPS.containsKey(call.name())) {
      steps.add(call(call, Grammar.STEPS.get(call.name()), isScript));
    } else if (call != null && !functions.containsKey(call.name())) {
      unknown(call);
    } else if (!isScript) {
      source.add(statement, "expected a step: Groovy code belongs in script { }");
    } else if (statement instanceof IfStatement choice) {
      steps.add(choice(choice));
    } else if (statement instanceof ExpressionStatement code) {
      List<Object> inside = new ArrayList<>();
      expressions.check(code.getExpression(), inside);
      steps.add(node("code", source.text(code), code, inside));
    } else {
      source.add(statement, "only steps, if, declarations and assignments are allowed in script");
    }
  }

  private Map<String, Object> choice(IfStatement choice) {
    List<Object> inside = new ArrayList<>();
    expressions.check(choice.getBooleanExpression(), inside);
    String text = source.text(choice, choice.getIfBlock());
    Map<String, Object> read = node("if", text.replaceAll("^if ?\\(|\\)$", ""), choice, inside);
    read.put("then", branch(choice.getIfBlock()));
    read.put("else", branch(choice.getElseBlock()));
    return read;
  }

  private List<Object> branch(Statement block) {
    List<Object> steps = new ArrayList<>();
    for (Statement statement : Call.statements(block)) {
      if (!(statement instanceof EmptyStatement)) {
        statement(statement, true, steps);
      }
    }
    return steps;
  }

  private static Map<String, Object> node(
      String key, String text, ASTNode node, List<Object> inside) {
    Map<String, Object> read = new LinkedHashMap<>();
    read.put(key, text);
    read.put("line", node.getLineNumber());
    read.put("steps", inside);
    return read;
  }

  private Map<String, Object> call(Call call, Signature signature, boolean isScript) {
    Map<String, Object> arguments = new LinkedHashMap<>();
    signature
        .bind(call, source)
        .forEach(
            (argument, value) -> {
              expressions.check(value, null);
              arguments.put(
                  argument,
                  value instanceof ConstantExpression constant
                      ? constant.getValue()
                      : source.text(value));
              if (call.name().equals("sh") && argument.equals("script")) {
                shell(value);
              }
            });
    boolean hasSteps = signature.block() && call.body() != null;
    List<Object> inside =
        hasSteps ? steps(call, isScript || call.name().equals("script")) : List.of();
    Map<String, Object> read = node("name", call.name(), call.node(), inside);
    read.put("arguments", arguments);
    return read;
  }

  private void shell(Expression script) {
    if (!(script instanceof ConstantExpression) || source.first(script) != '\'') {
      source.add(
          script,
          "sh: the script must be a constant in single quotes,"
              + " otherwise Groovy inserts values into the command");
    }
  }

  /** A call by name within an expression; {@code steps} is null where no step may be. */
  private void named(Call call, List<Object> steps) {
    String name = call.name();
    if (functions.containsKey(name)) {
      function(functions.get(name));
    } else if (Grammar.VALUES.containsKey(name)) {
      call(call, Grammar.VALUES.get(name), false);
    } else if (!Grammar.STEPS.containsKey(name)) {
      unknown(call);
    } else if (steps == null) {
      source.add(call.node(), "%s: options, conditions, functions and loops have no steps", name);
    } else {
      steps.add(call(call, Grammar.STEPS.get(name), true));
    }
  }

  private void unknown(Call call) {
    String known = String.join(", ", Grammar.STEPS.keySet());
    source.add(call.node(), "unknown step \"%s\"; known: %s", call.name(), known);
  }
}
