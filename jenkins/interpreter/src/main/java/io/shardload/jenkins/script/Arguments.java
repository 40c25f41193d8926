package io.shardload.jenkins.script;

import groovy.lang.Closure;
import groovy.lang.GString;
import io.shardload.jenkins.build.StepFailure;
import io.shardload.jenkins.grammar.Nearest;
import io.shardload.jenkins.grammar.Signature;
import io.shardload.jenkins.grammar.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The arguments of a call in a running pipeline.
 *
 * @param body the block of the call, or null
 */
public record Arguments(Map<String, Object> named, List<Object> unnamed, Closure<?> body) {
  /** Takes the arguments of a Groovy call apart: a map first, a block last. */
  public static Arguments of(Object[] values) {
    List<Object> unnamed = new ArrayList<>(Arrays.asList(values));
    Closure<?> body = null;
    if (!unnamed.isEmpty() && unnamed.get(unnamed.size() - 1) instanceof Closure<?> last) {
      body = last;
      unnamed.remove(unnamed.size() - 1);
    }
    Map<String, Object> named = new LinkedHashMap<>();
    if (!unnamed.isEmpty() && unnamed.get(0) instanceof Map<?, ?> map) {
      map.forEach((name, value) -> named.put(name.toString(), plain(value)));
      unnamed.remove(0);
    }
    unnamed.replaceAll(Arguments::plain);
    return new Arguments(named, unnamed, body);
  }

  private static Object plain(Object value) {
    return value instanceof GString text ? text.toString() : value;
  }

  /** Names the unnamed argument and refuses what the signature does not have. */
  public Arguments bind(Signature signature) {
    String call = signature.name();
    if (signature.block() != (body != null)) {
      throw new StepFailure(
          call + (signature.block() ? ": the block is missing" : " has no block"));
    }
    Map<String, Object> bound = new LinkedHashMap<>(named);
    if (unnamed.size() == 1 && signature.sole() != null && !bound.containsKey(signature.sole())) {
      bound.put(signature.sole(), unnamed.get(0));
    } else if (!unnamed.isEmpty()) {
      throw new StepFailure(call + ": the arguments must be named");
    }
    for (Map.Entry<String, Object> entry : bound.entrySet()) {
      check(signature, entry.getKey(), entry.getValue());
    }
    signature
        .arguments()
        .forEach(
            (name, argument) -> {
              if (argument.required() && bound.get(name) == null) {
                throw new StepFailure("%s: argument \"%s\" is missing".formatted(call, name));
              }
            });
    return new Arguments(bound, List.of(), body);
  }

  private static void check(Signature signature, String name, Object value) {
    Signature.Argument argument = signature.arguments().get(name);
    if (argument == null) {
      throw new StepFailure(
          "unknown argument \"%s\" of %s%s"
              .formatted(
                  name, signature.name(), Nearest.hint(name, signature.arguments().keySet())));
    }
    if (value != null && !argument.type().accepts(Type.of(value))) {
      throw new StepFailure(
          "argument \"%s\" of %s is %s, not %s"
              .formatted(
                  name, signature.name(), Type.of(value).described(), argument.type().described()));
    }
  }

  public String string(String name) {
    Object value = named.get(name);
    return value == null ? null : value.toString();
  }

  public String string(String name, String otherwise) {
    String value = string(name);
    return value == null ? otherwise : value;
  }

  public boolean flag(String name) {
    return Boolean.TRUE.equals(named.get(name));
  }

  public double number(String name, double otherwise) {
    return named.get(name) instanceof Number number ? number.doubleValue() : otherwise;
  }

  public List<?> list(String name) {
    return named.get(name) instanceof List<?> list ? list : List.of();
  }
}
