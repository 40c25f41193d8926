package io.shardload.jenkins.build;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The environment of the steps.
 *
 * <p>As {@code EnvironmentExpander.getEffectiveEnvironment}: the agent's variables, over them those
 * of the build (the job, the controller's global ones, the parameters) and what the pipeline set
 * with {@code env.X = }, over these the blocks from the outermost to the innermost.
 */
public final class Variables {
  private static final Pattern REFERENCE =
      Pattern.compile("\\$([A-Za-z0-9_]+|\\{[A-Za-z0-9_.]+}|\\$)");

  private final Map<String, String> agent = new TreeMap<>();
  private final Map<String, String> build = new TreeMap<>();
  private final Map<String, String> set = new TreeMap<>();
  private final Deque<Map<String, String>> blocks = new ArrayDeque<>();

  /** Adds a variable of the agent. */
  public void agent(String name, String value) {
    agent.put(name, value);
  }

  /** Adds a variable of the build. */
  public void build(String name, String value) {
    build.put(name, value);
  }

  /** Adds a parameter, in upper case as well, as {@code StringParameterValue}. */
  public void parameter(String name, String value) {
    build.put(name, value);
    build.put(name.toUpperCase(Locale.ROOT), value);
  }

  /** Sets a variable for the rest of the build: {@code env.X = }. */
  public void set(String name, String value) {
    set.put(name, value);
  }

  public void push(Map<String, String> block) {
    blocks.push(block);
  }

  public void pop() {
    blocks.pop();
  }

  /** The value of a variable for the step that runs, or null. */
  public String get(String name) {
    return all().get(name);
  }

  /** Every variable for the step that runs. */
  public Map<String, String> all() {
    Map<String, String> all = new TreeMap<>(agent);
    all.putAll(resolved());
    all.putAll(set);
    for (Iterator<Map<String, String>> outer = blocks.descendingIterator(); outer.hasNext(); ) {
      outer.next().forEach((name, value) -> override(all, name, value));
    }
    return all;
  }

  /** References among the build's own variables are replaced, as {@code EnvVars.resolve}. */
  private Map<String, String> resolved() {
    Map<String, String> resolved = new TreeMap<>(build);
    resolved.replaceAll((name, value) -> expand(value, build));
    return resolved;
  }

  /** As {@code hudson.Util.replaceMacro}: an unknown reference stays. */
  public static String expand(String text, Map<String, String> values) {
    Matcher matcher = REFERENCE.matcher(text);
    StringBuilder expanded = new StringBuilder();
    while (matcher.find()) {
      String key = matcher.group(1);
      String name = key.startsWith("{") ? key.substring(1, key.length() - 1) : key;
      String value = key.equals("$") ? "$" : values.getOrDefault(name, matcher.group());
      matcher.appendReplacement(expanded, Matcher.quoteReplacement(value));
    }
    return matcher.appendTail(expanded).toString();
  }

  /** As {@code EnvVars.override}: an empty value unsets, {@code PATH+X} puts before. */
  private static void override(Map<String, String> all, String name, String value) {
    if (value.isEmpty()) {
      all.remove(name);
      return;
    }
    int plus = name.indexOf('+');
    if (plus > 0) {
      all.merge(name.substring(0, plus), value, (old, added) -> added + ":" + old);
    } else {
      all.put(name, value);
    }
  }
}
