package io.shardload.jenkins.run;

import groovy.lang.Closure;
import io.shardload.jenkins.build.Build;
import io.shardload.jenkins.build.StepFailure;
import io.shardload.jenkins.grammar.Catalogue;
import io.shardload.jenkins.grammar.Signature;
import io.shardload.jenkins.script.Arguments;
import io.shardload.jenkins.script.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.codehaus.groovy.runtime.typehandling.DefaultTypeTransformation;

/** The conditions of a stage, as {@code WhenEvaluator}: all must hold. */
final class When {
  private final Script script;
  private final Build build;
  private boolean first;

  When(Script script, Build build) {
    this.script = script;
    this.build = build;
  }

  /** Whether the conditions are evaluated before the options of the stage take effect. */
  boolean beforeOptions(Closure<?> when) {
    first = false;
    read(when, false);
    return first;
  }

  boolean holds(Closure<?> when) {
    return read(when, true).stream().allMatch(BooleanSupplier::getAsBoolean);
  }

  private List<BooleanSupplier> read(Closure<?> body, boolean evaluates) {
    List<BooleanSupplier> conditions = new ArrayList<>();
    script.collect(
        body,
        (name, arguments) -> {
          Signature signature = Catalogue.CONDITIONS.get(name);
          if (signature == null) {
            return false;
          }
          Arguments bound = arguments.bind(signature);
          if (name.equals("beforeOptions")) {
            first = bound.flag("value");
          } else if (evaluates && !name.startsWith("before")) {
            conditions.add(condition(name, bound));
          }
          return true;
        },
        name -> "unknown condition \"" + name + "\" in when");
    return conditions;
  }

  private BooleanSupplier condition(String name, Arguments arguments) {
    return switch (name) {
      case "expression" -> () -> expression(arguments.body());
      case "not" -> () -> !holds(arguments.body());
      case "allOf" -> () -> holds(arguments.body());
      case "anyOf" ->
          () -> read(arguments.body(), true).stream().anyMatch(BooleanSupplier::getAsBoolean);
      case "environment" -> () -> environment(arguments);
      case "equals" ->
          () -> Objects.equals(arguments.named().get("expected"), arguments.named().get("actual"));
      default -> throw new StepFailure("condition " + name + " is not implemented");
    };
  }

  private boolean expression(Closure<?> body) {
    return DefaultTypeTransformation.castToBoolean(script.execute(body));
  }

  private boolean environment(Arguments arguments) {
    String actual = Objects.requireNonNullElse(build.variables().get(arguments.string("name")), "");
    String expected = arguments.string("value");
    return arguments.flag("ignoreCase")
        ? actual.equalsIgnoreCase(expected)
        : actual.equals(expected);
  }
}
