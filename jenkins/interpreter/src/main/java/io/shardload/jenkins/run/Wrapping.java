package io.shardload.jenkins.run;

import io.shardload.jenkins.build.Build;
import io.shardload.jenkins.grammar.Catalogue;
import io.shardload.jenkins.grammar.Signature;
import io.shardload.jenkins.script.Call;
import io.shardload.jenkins.script.Model;
import io.shardload.jenkins.script.Script;
import io.shardload.jenkins.step.BlockSteps;
import io.shardload.jenkins.step.Steps;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Puts the environment and the options of a pipeline or a stage around what runs in it. */
final class Wrapping {
  private final Build build;
  private final Script script;
  private final Steps steps;

  Wrapping(Build build, Script script, Steps steps) {
    this.build = build;
    this.script = script;
    this.steps = steps;
  }

  /** Runs within the options that are steps with a block, in their order. */
  void options(Model model, Runnable body) {
    List<Call> wrappers =
        model.options.stream()
            .filter(option -> Catalogue.WRAPPERS.containsKey(option.name()))
            .toList();
    wrap(wrappers, body);
  }

  private void wrap(List<Call> wrappers, Runnable body) {
    if (wrappers.isEmpty()) {
      body.run();
      return;
    }
    Call outer = wrappers.get(0);
    Signature signature = Catalogue.STEPS.get(outer.name());
    Supplier<Object> inner =
        () -> {
          wrap(wrappers.subList(1, wrappers.size()), body);
          return null;
        };
    steps.run(signature, outer.arguments(), inner);
  }

  /** Runs within the variables of the environment section, {@code credentials(...)} masked. */
  void environment(Model model, Runnable body) {
    if (model.environment == null) {
      body.run();
      return;
    }
    Map<String, Object> entries = new LinkedHashMap<>();
    script.environment(model.environment, entries);
    Map<String, String> secrets = new LinkedHashMap<>();
    Map<String, String> values = new LinkedHashMap<>();
    entries.forEach(
        (name, value) -> {
          if (value instanceof Call credentials) {
            String id = credentials.arguments().string("id");
            secrets.put(name, new BlockSteps(build).secret(id));
          } else {
            values.put(name, value.toString());
          }
        });
    build.console().masking().push(secrets.values());
    build.variables().push(secrets);
    build.variables().push(values);
    try {
      body.run();
    } finally {
      build.variables().pop();
      build.variables().pop();
      build.console().masking().pop();
    }
  }
}
