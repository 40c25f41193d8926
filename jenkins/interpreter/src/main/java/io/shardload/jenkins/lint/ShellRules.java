package io.shardload.jenkins.lint;

import io.shardload.jenkins.grammar.Nearest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.codehaus.groovy.ast.expr.ConstantExpression;
import org.codehaus.groovy.ast.expr.Expression;

/**
 * The rules of this project on sh: one command of ./shardload, constant and in single quotes, with
 * variables in double quotes, so that no value of a parameter is ever read as a command.
 */
final class ShellRules implements Code.Rule {
  private static final Set<String> LOAD = Set.of("run", "load", "schema", "verify", "calibrate");
  private static final Set<String> PRINTING =
      Set.of("echo", "printf", "cat", "env", "printenv", "set", "export", "declare");

  private final Source source;
  private final Facts facts;

  ShellRules(Source source, Facts facts) {
    this.source = source;
    this.facts = facts;
  }

  @Override
  public void check(CallNode call, Context context) {
    if (!call.name().equals("sh")) {
      return;
    }
    Expression script = call.argument("script", "script");
    if (script == null) {
      return;
    }
    boolean constant =
        script instanceof ConstantExpression value && value.getValue() instanceof String;
    if (!constant || source.first(script) != '\'') {
      source.add(
          call.node(),
          "sh: the script must be a constant in single quotes,"
              + " or else Groovy puts values into the command");
    }
    if (constant) {
      text(call, new ShellText(script.getText()), context);
    }
  }

  private void text(CallNode call, ShellText script, Context context) {
    thin(call, script);
    for (String name : script.bare()) {
      source.add(call.node(), "sh: $%s must stand in double quotes", name);
    }
    List<String> variables = new ArrayList<>(script.quoted());
    variables.addAll(script.bare());
    secrets(call, script, variables, context);
    for (String name : variables) {
      known(call, name, context);
    }
    List<String> words = script.words();
    if (words.size() > 1 && words.get(0).equals("./shardload") && LOAD.contains(words.get(1))) {
      load(call, words.get(1), context);
    } else if (!context.timed() && !context.post()) {
      source.add(call.node(), "sh: outside of a timeout");
    }
  }

  private void thin(CallNode call, ShellText script) {
    if (!script.operators().isEmpty()) {
      source.add(
          call.node(),
          "sh: must be one command of ./shardload, without %s",
          script.operators().get(0));
    }
    List<String> words = script.words();
    // Makes room for the files of this build; the path is constant.
    boolean removes =
        words.size() > 2
            && words.get(0).equals("rm")
            && script.quoted().isEmpty()
            && script.bare().isEmpty();
    if (words.isEmpty() || !(words.get(0).equals("./shardload") || removes)) {
      source.add(
          call.node(),
          "sh: must be one command of ./shardload, not %s",
          words.isEmpty() ? "nothing" : words.get(0));
    }
  }

  private void known(CallNode call, String name, Context context) {
    boolean known =
        facts.parameters.contains(name)
            || facts.variables.contains(name)
            || context.secrets().contains(name);
    if (!known) {
      Set<String> names = new HashSet<>(facts.parameters);
      names.addAll(facts.variables);
      source.add(
          call.node(),
          "sh: \"$%s\" is neither a parameter nor a known variable%s",
          name,
          Nearest.hint(name, names));
    }
  }

  private void secrets(CallNode call, ShellText script, List<String> variables, Context context) {
    String command = script.words().isEmpty() ? "" : script.words().get(0);
    boolean prints = PRINTING.contains(command);
    for (String name : variables) {
      if (context.secrets().contains(name)) {
        String how = prints ? "prints" : "puts into the arguments of a process";
        source.add(call.node(), "sh: %s the secret $%s", how, name);
      }
    }
    if (prints && context.hasSecrets() && variables.isEmpty()) {
      source.add(call.node(), "sh: %s prints secrets", command);
    }
  }

  private void load(CallNode call, String verb, Context context) {
    if (!context.locked()) {
      source.add(
          call.node(),
          "sh: ./shardload %s outside of a lock: another build may use the cluster",
          verb);
    }
    if (!context.timed()) {
      source.add(call.node(), "sh: ./shardload %s outside of a timeout", verb);
    }
  }
}
