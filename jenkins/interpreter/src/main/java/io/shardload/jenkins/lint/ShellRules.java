package io.shardload.jenkins.lint;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.codehaus.groovy.ast.expr.ConstantExpression;
import org.codehaus.groovy.ast.expr.Expression;

/**
 * The rules of this project on sh: one command of ./shardload, constant and in single quotes, with
 * variables in double quotes, so that a parameter's value is never executed as a command.
 */
final class ShellRules implements Code.Rule {
  private static final Set<String> LOAD = Set.of("run", "load", "schema", "verify", "calibrate");
  private static final Set<String> PRINTING =
      Set.of("echo", "printf", "cat", "env", "printenv", "set", "export", "declare");

  private static final Set<String> OWN = Set.of("$JOB_BASE_NAME", "${JOB_BASE_NAME}");
  private static final Set<String> OTHER = Set.of("$COMPARE_WITH", "${COMPARE_WITH}");

  /** Verbs after which the pipeline must continue with any exit code. */
  private static final List<String> CODES = List.of("history", "results");

  private final Source source;
  private final Names names;

  ShellRules(Source source, Facts facts) {
    this.source = source;
    names = new Names(source, facts);
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
              + " otherwise Groovy inserts values into the command");
    }
    if (constant) {
      text(call, new ShellText(script.getText()), context);
    }
  }

  private void text(CallNode call, ShellText script, Context context) {
    thin(call, script);
    for (String name : script.bare()) {
      source.add(call.node(), "sh: $%s must be in double quotes", name);
    }
    List<String> variables = new ArrayList<>(script.quoted());
    variables.addAll(script.bare());
    secrets(call, script, variables, context);
    for (String name : variables) {
      names.known(call.node(), "sh: \"$", name, context);
    }
    List<String> words = script.words();
    status(call, words);
    if (words.size() > 1 && words.get(0).equals("./shardload") && LOAD.contains(words.get(1))) {
      load(call, words, context);
    } else if (!context.timed()) {
      source.add(call.node(), "sh: must be inside a timeout");
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
    // Makes room for the files of this build.
    boolean removes = words.equals(List.of("rm", "-rf", "results"));
    if (words.isEmpty() || !(words.get(0).equals("./shardload") || removes)) {
      source.add(
          call.node(),
          "sh: must be one command of ./shardload, not %s",
          words.isEmpty() ? "nothing" : words.get(0));
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

  private void load(CallNode call, List<String> words, Context context) {
    String verb = words.get(1);
    if (!context.locked()) {
      source.add(
          call.node(),
          "sh: ./shardload %s must be inside a lock: another build may use the cluster",
          verb);
    }
    if (!context.timed()) {
      source.add(call.node(), "sh: ./shardload %s must be inside a timeout", verb);
    }
    target(call, words);
  }

  /** The lock and the secrets belong to the job's target and to the target compared with it. */
  private void target(CallNode call, List<String> words) {
    int option = words.indexOf("--target");
    String target = option < 0 || option + 1 == words.size() ? "" : words.get(option + 1);
    boolean other = words.get(1).equals("verify") && OTHER.contains(target);
    long options = words.stream().filter(word -> word.startsWith("--target")).count();
    if (options != 1 || !(OWN.contains(target) || other)) {
      source.add(call.node(), "sh: ./shardload %s needs --target \"$JOB_BASE_NAME\"", words.get(1));
    }
  }

  private void status(CallNode call, List<String> words) {
    if (call.isSet("returnStatus") && (words.size() < 2 || !CODES.contains(words.get(1)))) {
      source.add(
          call.node(),
          "sh: returnStatus hides a failure: only %s may have it",
          String.join(", ", CODES));
    }
  }
}
