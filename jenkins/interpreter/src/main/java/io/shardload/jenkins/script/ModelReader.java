package io.shardload.jenkins.script;

import groovy.lang.Closure;
import io.shardload.jenkins.build.StepFailure;
import io.shardload.jenkins.grammar.Catalogue;
import io.shardload.jenkins.grammar.Nearest;
import io.shardload.jenkins.grammar.Signature;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Reads the sections of a pipeline.
 *
 * <p>As {@code RuntimeASTTransformer}: the arguments of options, parameters and triggers are values
 * of the model. They are computed before anything of the pipeline runs, those of a stage's options
 * too: without a node, without the pipeline's environment, and on a job's first build without
 * parameters.
 */
public final class ModelReader {
  private final Script script;

  public ModelReader(Script script) {
    this.script = script;
  }

  public Model pipeline(Closure<?> body) {
    Model model = new Model("");
    Map<String, Consumer<Arguments>> sections = common(model);
    sections.put("agent", arguments -> model.agent = agent(arguments));
    sections.put("parameters", list(model.parameters, Catalogue.PARAMETERS));
    sections.put("triggers", list(model.triggers, Catalogue.TRIGGERS));
    sections.put("options", list(model.options, Catalogue.OPTIONS));
    read("pipeline", body, sections);
    if (model.agent == null || model.stages.isEmpty()) {
      throw new StepFailure(
          "missing section \"" + (model.agent == null ? "agent" : "stages") + "\"");
    }
    return model;
  }

  private Map<String, Consumer<Arguments>> common(Model model) {
    Map<String, Consumer<Arguments>> sections = new LinkedHashMap<>();
    sections.put("environment", arguments -> model.environment = arguments.body());
    sections.put("stages", arguments -> stages(model, arguments.body()));
    sections.put("post", arguments -> post(model, arguments.body()));
    return sections;
  }

  private void stages(Model model, Closure<?> body) {
    read("stages", body, Map.of("stage", arguments -> model.stages.add(stage(arguments))));
  }

  private Model stage(Arguments arguments) {
    Model model = new Model(arguments.unnamed().get(0).toString());
    Map<String, Consumer<Arguments>> sections = common(model);
    sections.put("options", list(model.options, Catalogue.STAGE_OPTIONS));
    sections.put("when", section -> model.when = section.body());
    sections.put("steps", section -> model.steps = section.body());
    read("stage \"" + model.name + "\"", arguments.body(), sections);
    return model;
  }

  private void post(Model model, Closure<?> body) {
    Map<String, Consumer<Arguments>> conditions = new LinkedHashMap<>();
    for (String condition : Catalogue.POST) {
      conditions.put(condition, arguments -> model.post.put(condition, arguments.body()));
    }
    read("post", body, conditions);
  }

  private String agent(Arguments arguments) {
    if (arguments.body() == null) {
      return arguments.unnamed().get(0).toString();
    }
    StringBuilder label = new StringBuilder();
    read(
        "agent",
        arguments.body(),
        Map.of("label", section -> label.append(section.unnamed().get(0))));
    return label.toString();
  }

  private Consumer<Arguments> list(List<Call> calls, Map<String, Signature> signatures) {
    return section -> {
      Map<String, Consumer<Arguments>> entries = new LinkedHashMap<>();
      signatures.forEach(
          (name, signature) ->
              entries.put(
                  name,
                  arguments -> {
                    Signature blockless =
                        new Signature(name, signature.arguments(), signature.sole(), false);
                    calls.add(new Call(name, arguments.bind(blockless)));
                  }));
      read("section", section.body(), entries);
    };
  }

  private void read(String section, Closure<?> body, Map<String, Consumer<Arguments>> entries) {
    if (body == null) {
      throw new StepFailure(section + ": the block is missing");
    }
    script.collect(
        body,
        (name, arguments) -> {
          Consumer<Arguments> entry = entries.get(name);
          if (entry == null) {
            return false;
          }
          entry.accept(arguments);
          return true;
        },
        name ->
            "unknown name \"%s\" in %s%s"
                .formatted(name, section, Nearest.hint(name, entries.keySet())));
  }
}
