package io.shardload.jenkins.script;

import groovy.lang.Closure;
import groovy.lang.MissingPropertyException;
import io.shardload.jenkins.build.Build;
import io.shardload.jenkins.build.StepFailure;
import io.shardload.jenkins.grammar.Catalogue;
import io.shardload.jenkins.grammar.Nearest;
import io.shardload.jenkins.grammar.Signature;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What the names in a Jenkinsfile mean: a section's entries while the sections are read, steps and
 * values while steps run.
 */
public final class Script {
  /** Takes an entry of a section. */
  public interface Collector {
    /** False for a name that is not an entry of the section. */
    boolean take(String name, Arguments arguments);
  }

  /** Executes steps. */
  public interface Executor {
    Object run(Signature signature, Arguments arguments, Supplier<Object> body);
  }

  private record Section(Collector collector, Function<String, String> unknown) {}

  private final Build build;
  private final Deque<Section> sections = new ArrayDeque<>();
  private final Deque<Map<String, Object>> environments = new ArrayDeque<>();
  private Executor steps;
  private Closure<?> pipeline;

  public Script(Build build) {
    this.build = build;
  }

  public void steps(Executor executing) {
    steps = executing;
  }

  public Closure<?> pipeline() {
    return pipeline;
  }

  /** Reads a section: each call in the body is an entry of it. */
  public void collect(Closure<?> body, Collector collector, Function<String, String> unknown) {
    sections.push(new Section(collector, unknown));
    try {
      body.call();
    } finally {
      sections.pop();
    }
  }

  /** Executes a block of steps. */
  public Object execute(Closure<?> body) {
    sections.push(new Section(null, null));
    try {
      return body.call();
    } finally {
      sections.pop();
    }
  }

  /** Collects the assignments of an environment section. */
  public void environment(Closure<?> body, Map<String, Object> entries) {
    environments.push(entries);
    try {
      execute(body);
    } finally {
      environments.pop();
    }
  }

  /** A call by its name alone. */
  public Object call(String name, Object[] values) {
    Arguments arguments = Arguments.of(values);
    Section section = sections.peek();
    if (section == null && name.equals("pipeline")) {
      pipeline = arguments.body();
      return null;
    }
    if (section != null
        && section.collector() != null
        && section.collector().take(name, arguments)) {
      return null;
    }
    Signature value = Catalogue.VALUES.get(name);
    if (value != null) {
      return new Call(name, arguments.bind(value));
    }
    if (section != null && section.collector() != null && !Catalogue.STEPS.containsKey(name)) {
      throw new StepFailure(section.unknown().apply(name));
    }
    Signature signature = Catalogue.STEPS.get(name);
    if (signature == null) {
      throw new StepFailure(
          "unknown step \"" + name + "\"" + Nearest.hint(name, Catalogue.STEPS.keySet()));
    }
    Closure<?> body = arguments.body();
    return steps.run(
        signature, arguments.bind(signature), body == null ? null : () -> execute(body));
  }

  /** A name that is neither a local variable nor set by the script. */
  public Object property(String name) {
    return switch (name) {
      case "env" -> build.env();
      case "params" -> build.parameters();
      case "currentBuild" -> build.current();
      case "scm" -> new Call("scm", Arguments.of(new Object[0]));
      case "any", "none" -> name;
      default -> variable(name);
    };
  }

  /** As in a CpsScript: an entry of the environment, a parameter or an environment variable. */
  private Object variable(String name) {
    Object value = environments.isEmpty() ? null : environments.peek().get(name);
    value = value == null ? build.given(name) : value;
    value = value == null ? build.variables().get(name) : value;
    if (value == null) {
      throw new MissingPropertyException(name, Script.class);
    }
    return value;
  }

  /** False if a name is not an entry of an environment section. */
  public boolean assign(String name, Object value) {
    if (environments.isEmpty()) {
      return false;
    }
    environments.peek().put(name, value instanceof Call ? value : String.valueOf(value));
    return true;
  }
}
