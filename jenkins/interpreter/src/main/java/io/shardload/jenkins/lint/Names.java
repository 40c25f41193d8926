package io.shardload.jenkins.lint;

import io.shardload.jenkins.grammar.Nearest;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import org.codehaus.groovy.ast.ASTNode;
import org.codehaus.groovy.ast.expr.PropertyExpression;
import org.codehaus.groovy.ast.expr.VariableExpression;

/**
 * Checks the names in Groovy code. A secret belongs to the environment of a command only: where
 * withCredentials has a computed list, its variables are those that nothing else declares.
 */
final class Names {
  /**
   * The names that every pipeline knows, in addition to its own names and the variables of the
   * build.
   */
  private static final Set<String> PIPELINE = Set.of("it", "scm", "any", "none");

  /** Names of the environment, which no local variable hides in the whole file. */
  private static final Pattern VARIABLE = Pattern.compile("[A-Z][A-Z0-9_]*");

  private static final Set<String> OBJECTS = Set.of("params", "env", "currentBuild");

  private final Source source;
  private final Facts facts;

  Names(Source source, Facts facts) {
    this.source = source;
    this.facts = facts;
  }

  void variable(VariableExpression expression, Context context) {
    String name = expression.getName();
    boolean declared = facts.locals.contains(name) || PIPELINE.contains(name);
    if (OBJECTS.contains(name)) {
      source.add(expression, "%s stands for all of its values: name one of them", name);
    } else if (!declared || VARIABLE.matcher(name).matches()) {
      environment(expression, name, context);
    }
  }

  void property(PropertyExpression expression, Context context, boolean hasDefault) {
    String name = expression.getPropertyAsString();
    String object = expression.getObjectExpression().getText();
    if (name == null) {
      return;
    }
    if (object.equals("env")) {
      environment(expression, name, context);
    } else if (object.equals("params")) {
      parameter(expression, name, context, hasDefault);
    }
  }

  private void parameter(ASTNode node, String name, Context context, boolean hasDefault) {
    if (!facts.parameters.contains(name)) {
      String hint = Nearest.hint(name, facts.parameters);
      source.add(node, "parameter \"%s\" is not declared%s", name, hint);
    } else if (context.options() && !hasDefault) {
      source.add(
          node,
          "params.%s in options is null on a job's first build: give a default with ?:",
          name);
    }
  }

  private void environment(ASTNode node, String name, Context context) {
    if (context.secrets().contains(name)) {
      source.add(
          node,
          "code reads the secret %s: secrets belong only in the environment of commands",
          name);
    } else {
      known(node, "\"", name, context);
    }
  }

  /** Finds a variable of the environment that neither Jenkins nor the Jenkinsfile declares. */
  void known(ASTNode node, String prefix, String name, Context context) {
    boolean known =
        facts.parameters.contains(name)
            || facts.variables.contains(name)
            || context.secrets().contains(name);
    if (!known) {
      Set<String> names = new HashSet<>(facts.parameters);
      names.addAll(facts.variables);
      source.add(
          node,
          "%s%s\" is neither a parameter nor a known variable%s",
          prefix,
          name,
          Nearest.hint(name, names));
    }
  }
}
