package io.shardload.jenkins.lint;

import io.shardload.jenkins.grammar.Catalogue;
import io.shardload.jenkins.grammar.Nearest;
import io.shardload.jenkins.grammar.Signature;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.codehaus.groovy.ast.ASTNode;
import org.codehaus.groovy.ast.expr.BinaryExpression;
import org.codehaus.groovy.ast.expr.ClosureExpression;
import org.codehaus.groovy.ast.expr.ConstantExpression;
import org.codehaus.groovy.ast.expr.Expression;
import org.codehaus.groovy.ast.expr.VariableExpression;
import org.codehaus.groovy.ast.stmt.BlockStatement;
import org.codehaus.groovy.ast.stmt.ExpressionStatement;
import org.codehaus.groovy.ast.stmt.Statement;

/** Checks the sections of a pipeline, as {@code ModelParser} and {@code ModelValidatorImpl}. */
final class Sections {
  private final Source source;
  private final Signatures signatures;
  private final Code code;

  Sections(Source source, Code code) {
    this.source = source;
    this.code = code;
    signatures = new Signatures(source);
  }

  /** Checks a pipeline; returns its sections by name. */
  Map<String, CallNode> pipeline(CallNode pipeline) {
    Map<String, CallNode> sections =
        entries("pipeline", pipeline, Catalogue.PIPELINE_SECTIONS, true);
    for (String required : List.of("agent", "stages")) {
      if (!sections.containsKey(required)) {
        source.add(pipeline.node(), "section \"%s\" of pipeline is missing", required);
      }
    }
    Context context = common(sections, Catalogue.OPTIONS, Context.OUTSIDE);
    listed(sections.get("parameters"), Catalogue.PARAMETERS, Context.OUTSIDE.inOptions());
    listed(sections.get("triggers"), Catalogue.TRIGGERS, Context.OUTSIDE.inOptions());
    stages(sections.get("stages"), context);
    entries("post", sections.get("post"), Catalogue.POST, true)
        .forEach((name, condition) -> code.steps(condition.body(), context.inPost(name)));
    return sections;
  }

  private Context common(
      Map<String, CallNode> sections, Map<String, Signature> options, Context context) {
    agent(sections.get("agent"));
    environment(sections.get("environment"), context);
    listed(sections.get("options"), options, context.inOptions());
    return within(sections.get("options"), context);
  }

  /** What options surround a stage with. */
  private Context within(CallNode options, Context context) {
    Context inner = context;
    for (CallNode option : calls(options)) {
      inner = code.within(option, inner);
    }
    return inner;
  }

  private void stages(CallNode stages, Context context) {
    for (CallNode stage :
        stages == null
            ? List.<CallNode>of()
            : entries("stages", stages, Set.of("stage"), false).values()) {
      stage(stage, context);
    }
  }

  private void stage(CallNode stage, Context context) {
    if (stage.unnamed().size() != 1
        || !(stage.unnamed().get(0) instanceof ConstantExpression name)) {
      source.add(stage.node(), "the name of a stage must be a constant");
      return;
    }
    String title = "stage \"" + name.getText() + "\"";
    Map<String, CallNode> sections = entries(title, stage, Catalogue.STAGE_SECTIONS, true);
    long bodies = List.of("steps", "stages").stream().filter(sections::containsKey).count();
    if (bodies != 1) {
      source.add(stage.node(), "%s needs either steps or stages", title);
    }
    Context inner = common(sections, Catalogue.STAGE_OPTIONS, context);
    when(sections.get("when"), inner);
    if (sections.containsKey("steps")) {
      code.steps(sections.get("steps").body(), inner);
    }
    stages(sections.get("stages"), inner);
    entries("post", sections.get("post"), Catalogue.POST, true)
        .values()
        .forEach(condition -> code.steps(condition.body(), inner));
  }

  private void when(CallNode when, Context context) {
    for (CallNode condition : calls(when)) {
      Signature signature = Catalogue.CONDITIONS.get(condition.name());
      if (signature == null) {
        String hint = Nearest.hint(condition.name(), Catalogue.CONDITIONS.keySet());
        source.add(condition.node(), "unknown condition \"%s\" in when%s", condition.name(), hint);
        continue;
      }
      signatures.check(condition, signature, signature.block());
      if (condition.name().equals("expression")) {
        code.expression(condition.body(), context);
      } else if (signature.block()) {
        when(condition, context);
      }
    }
  }

  private void agent(CallNode agent) {
    if (agent == null) {
      return;
    }
    if (agent.body() != null) {
      entries("agent", agent, Set.of("label"), true);
    } else if (agent.unnamed().size() != 1
        || !Set.of("any", "none").contains(agent.unnamed().get(0).getText())) {
      source.add(agent.node(), "agent must be any, none or { label '...' }");
    }
  }

  private void environment(CallNode environment, Context context) {
    for (Statement statement : statements(environment)) {
      boolean assigned =
          statement instanceof ExpressionStatement expression
              && expression.getExpression() instanceof BinaryExpression assignment
              && assignment.getOperation().getText().equals("=")
              && assignment.getLeftExpression() instanceof VariableExpression;
      if (!assigned) {
        source.add(statement, "environment: expected NAME = 'value'");
        continue;
      }
      Expression value =
          ((BinaryExpression) ((ExpressionStatement) statement).getExpression())
              .getRightExpression();
      code.expression(value, context);
    }
  }

  private void listed(CallNode section, Map<String, Signature> known, Context context) {
    Set<String> seen = new HashSet<>();
    for (CallNode call : calls(section)) {
      Signature signature = known.get(call.name());
      if (signature == null) {
        source.add(
            call.node(),
            "unknown name \"%s\" in %s%s",
            call.name(),
            section.name(),
            Nearest.hint(call.name(), known.keySet()));
        continue;
      }
      if (section.name().equals("options") && !seen.add(call.name())) {
        source.add(call.node(), "option \"%s\" is given twice", call.name());
      }
      signatures.check(call, signature, false);
      code.expression(call.node().getArguments(), context);
    }
  }

  /**
   * The entries of a section; unknown entries, and duplicates if they are not allowed, are
   * reported.
   */
  private Map<String, CallNode> entries(
      String title, CallNode section, Collection<String> known, boolean unique) {
    Map<String, CallNode> entries = new LinkedHashMap<>();
    for (CallNode entry : calls(section)) {
      if (!known.contains(entry.name())) {
        String hint = Nearest.hint(entry.name(), known);
        source.add(entry.node(), "unknown section \"%s\" in %s%s", entry.name(), title, hint);
        continue;
      }
      boolean needsBlock = !Set.of("agent", "label").contains(entry.name());
      if (needsBlock && entry.body() == null) {
        source.add(entry.node(), "the block of %s is missing", entry.name());
        continue;
      }
      String key = unique ? entry.name() : entry.name() + entries.size();
      if (entries.put(key, entry) != null) {
        source.add(entry.node(), "section \"%s\" of %s is given twice", entry.name(), title);
      }
    }
    return entries;
  }

  private List<CallNode> calls(CallNode section) {
    List<CallNode> calls = new ArrayList<>();
    for (Statement statement : statements(section)) {
      CallNode call = CallNode.of(statement);
      if (call == null) {
        source.add((ASTNode) statement, "%s: expected the name of an entry", section.name());
      } else {
        calls.add(call);
      }
    }
    return calls;
  }

  private static List<Statement> statements(CallNode section) {
    ClosureExpression body = section == null ? null : section.body();
    return body != null && body.getCode() instanceof BlockStatement block
        ? block.getStatements()
        : List.of();
  }
}
