package io.shardload.jenkins.lint;

import io.shardload.jenkins.grammar.Catalogue;
import io.shardload.jenkins.grammar.Nearest;
import io.shardload.jenkins.grammar.Signature;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.codehaus.groovy.ast.ASTNode;
import org.codehaus.groovy.ast.CodeVisitorSupport;
import org.codehaus.groovy.ast.MethodNode;
import org.codehaus.groovy.ast.expr.ClosureExpression;
import org.codehaus.groovy.ast.expr.ElvisOperatorExpression;
import org.codehaus.groovy.ast.expr.Expression;
import org.codehaus.groovy.ast.expr.ListExpression;
import org.codehaus.groovy.ast.expr.MethodCallExpression;
import org.codehaus.groovy.ast.expr.PropertyExpression;
import org.codehaus.groovy.ast.expr.VariableExpression;
import org.codehaus.groovy.ast.stmt.BlockStatement;
import org.codehaus.groovy.ast.stmt.Statement;
import org.codehaus.groovy.ast.stmt.TryCatchStatement;

/** Checks steps and the Groovy code around them; methods of the file where they are called. */
final class Code {
  /** A rule on a step and what surrounds it. */
  interface Rule {
    void check(CallNode call, Context context);
  }

  private final Source source;
  private final Facts facts;
  private final Signatures signatures;
  private final Names names;
  private final List<Rule> rules;
  private final Deque<MethodNode> calling = new ArrayDeque<>();
  private final Set<String> called = new HashSet<>();

  Code(Source source, Facts facts, List<Rule> rules) {
    this.source = source;
    this.facts = facts;
    this.rules = rules;
    signatures = new Signatures(source);
    names = new Names(source, facts);
  }

  /** A block that may contain only steps; Groovy code belongs in script. */
  void steps(ClosureExpression body, Context context) {
    onlySteps(body);
    expression(body.getCode(), context);
  }

  private void onlySteps(ClosureExpression body) {
    List<Statement> statements =
        body.getCode() instanceof BlockStatement block ? block.getStatements() : List.of();
    if (statements.isEmpty()) {
      source.add(body, "the block has no steps");
    }
    for (Statement statement : statements) {
      CallNode call = CallNode.of(statement);
      if (call == null) {
        source.add(statement, "expected a step: Groovy code belongs in script { }");
      } else if (call.body() != null && !call.name().equals("script")) {
        onlySteps(call.body());
      }
    }
  }

  /** Any code. */
  void expression(ASTNode node, Context context) {
    node.visit(new Visitor(context));
  }

  /** Methods that are never called are checked, too. */
  void rest() {
    facts.helpers.forEach(
        (name, method) -> {
          if (called.add(name)) {
            source.add(method, "method %s is never called", name);
          }
          if (Catalogue.STEPS.containsKey(name) || Catalogue.VALUES.containsKey(name)) {
            source.add(method, "method %s has the name of a step", name);
          }
        });
  }

  /** The blocks around a step. */
  Context within(CallNode call, Context context) {
    return switch (call.name()) {
      case "lock" -> isEmpty(call) ? context : context.inLock();
      case "timeout" -> context.inTimeout();
      case "withCredentials" -> withCredentials(call, context);
      default -> context;
    };
  }

  private static boolean isEmpty(CallNode lock) {
    return lock.argument("resource", "resource") == null
        && lock.named().get("extra") instanceof ListExpression names
        && names.getExpressions().isEmpty();
  }

  private static Context withCredentials(CallNode call, Context context) {
    Expression bindings = call.argument("bindings", "bindings");
    if (!(bindings instanceof ListExpression list)) {
      return context.withSecrets(Set.of(), true);
    }
    Set<String> names = new HashSet<>();
    boolean unknown = false;
    for (Expression binding : list.getExpressions()) {
      CallNode value = CallNode.of(binding);
      String name = value == null ? null : value.text("variable", null);
      if (name == null) {
        unknown = true;
      } else {
        names.add(name);
      }
    }
    return context.withSecrets(names, unknown);
  }

  private void step(CallNode call, Context context) {
    Signature signature = Catalogue.STEPS.get(call.name());
    signatures.check(call, signature, signature.block());
    if (context.options()) {
      source.add(
          call.node(),
          "%s in options: Jenkins computes options before it has a node or runs a step",
          call.name());
      return;
    }
    rules.forEach(rule -> rule.check(call, context));
  }

  private void helper(MethodNode method, Context context) {
    called.add(method.getName());
    if (!calling.contains(method)) {
      calling.push(method);
      method.getCode().visit(new Visitor(context));
      calling.pop();
    }
  }

  private final class Visitor extends CodeVisitorSupport {
    private final Context context;
    private boolean hasDefault;

    Visitor(Context context) {
      this.context = context;
    }

    @Override
    public void visitMethodCallExpression(MethodCallExpression expression) {
      CallNode call = CallNode.of(expression);
      if (call == null) {
        super.visitMethodCallExpression(expression);
        return;
      }
      known(call);
      call.named().values().forEach(value -> value.visit(this));
      call.unnamed().forEach(value -> value.visit(this));
      if (call.body() != null) {
        expression(call.body().getCode(), within(call, context));
      }
    }

    private void known(CallNode call) {
      String name = call.name();
      if (facts.helpers.containsKey(name)) {
        helper(facts.helpers.get(name), context);
      } else if (Catalogue.STEPS.containsKey(name)) {
        step(call, context);
      } else if (Catalogue.VALUES.containsKey(name)) {
        signatures.check(call, Catalogue.VALUES.get(name), false);
      } else {
        Set<String> names = new HashSet<>(Catalogue.STEPS.keySet());
        names.addAll(facts.helpers.keySet());
        source.add(call.node(), "unknown step \"%s\"%s", name, Nearest.hint(name, names));
      }
    }

    @Override
    public void visitShortTernaryExpression(ElvisOperatorExpression expression) {
      boolean before = hasDefault;
      hasDefault = true;
      super.visitShortTernaryExpression(expression);
      hasDefault = before;
    }

    @Override
    public void visitPropertyExpression(PropertyExpression expression) {
      names.property(expression, context, hasDefault);
      if (!(expression.getObjectExpression() instanceof VariableExpression)) {
        super.visitPropertyExpression(expression);
      }
    }

    @Override
    public void visitVariableExpression(VariableExpression expression) {
      names.variable(expression, context);
    }

    @Override
    public void visitTryCatchFinally(TryCatchStatement statement) {
      source.add(statement, "try hides a failure: use catchError");
      super.visitTryCatchFinally(statement);
    }
  }
}
