package io.shardload.jenkins.script;

import groovy.lang.Closure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A stage with what belongs to it, or the whole pipeline, which is built alike. */
public final class Model {
  public final String name;
  public final List<Call> options = new ArrayList<>();
  public final List<Call> parameters = new ArrayList<>();
  public final List<Call> triggers = new ArrayList<>();
  public final List<Model> stages = new ArrayList<>();
  public final Map<String, Closure<?>> post = new LinkedHashMap<>();
  public String agent;
  public Closure<?> environment;
  public Closure<?> when;
  public Closure<?> steps;

  public Model(String name) {
    this.name = name;
  }

  public boolean has(String option) {
    return options.stream().anyMatch(call -> call.name().equals(option));
  }
}
