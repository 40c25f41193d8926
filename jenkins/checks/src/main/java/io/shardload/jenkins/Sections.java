package io.shardload.jenkins;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.codehaus.groovy.ast.expr.ConstantExpression;
import org.codehaus.groovy.ast.stmt.Statement;

/** Reads and checks the sections of a pipeline. */
final class Sections {
  private final Source source;
  private final Code code;

  Sections(Source source) {
    this.source = source;
    code = new Code(source);
  }

  /**
   * The pipeline: {@code line}, {@code agent} (its label), {@code options}, {@code parameters},
   * {@code stages} and {@code post}; empty if the text is not Groovy or has no pipeline.
   *
   * <p>A stage has {@code name}, {@code line} and its sections; {@code when} is the text of its
   * condition. {@code post} has a list of steps for each condition. {@link Code} describes options
   * and steps.
   */
  Map<String, Object> pipeline() {
    Call pipeline = source.module() == null ? null : code.pipeline();
    if (pipeline == null) {
      return Map.of();
    }
    Map<String, Object> read = new LinkedHashMap<>();
    Map<String, Call> sections = sections("pipeline", pipeline, Grammar.PIPELINE);
    read.put("line", pipeline.node().getLineNumber());
    read.put("agent", label(pipeline, sections.get("agent")));
    read.put("options", listed(sections.get("options"), Grammar.OPTIONS));
    read.put("parameters", listed(sections.get("parameters"), Grammar.PARAMETERS));
    if (!sections.containsKey("stages")) {
      source.add(pipeline.node(), "pipeline: the section \"stages\" is missing");
    }
    read.put("stages", stages(sections.get("stages")));
    read.put("post", post(sections.get("post")));
    return read;
  }

  private String label(Call pipeline, Call agent) {
    List<Call> calls = calls(agent);
    if (calls.size() == 1
        && calls.get(0).name().equals("label")
        && calls.get(0).unnamed().size() == 1
        && calls.get(0).unnamed().get(0) instanceof ConstantExpression label) {
      return label.getText();
    }
    source.add((agent == null ? pipeline : agent).node(), "expected agent { label '...' }");
    return "";
  }

  private List<Object> stages(Call stages) {
    List<Object> read = new ArrayList<>();
    for (Call stage : calls(stages)) {
      if (!stage.name().equals("stage")
          || stage.unnamed().size() != 1
          || !(stage.unnamed().get(0) instanceof ConstantExpression name)) {
        source.add(stage.node(), "stages: expected stage('name') { }");
      } else {
        read.add(stage(stage, name.getText()));
      }
    }
    return read;
  }

  private Map<String, Object> stage(Call stage, String name) {
    String title = "stage \"" + name + "\"";
    Map<String, Call> sections = sections(title, stage, Grammar.STAGE);
    if (sections.containsKey("steps") == sections.containsKey("stages")) {
      source.add(stage.node(), "%s needs either steps or stages", title);
    }
    Map<String, Object> read = new LinkedHashMap<>();
    read.put("name", name);
    read.put("line", stage.node().getLineNumber());
    read.put("options", listed(sections.get("options"), Grammar.STAGE_OPTIONS));
    read.put("when", when(sections.get("when")));
    if (sections.containsKey("steps")) {
      read.put("steps", code.steps(sections.get("steps"), false));
    }
    read.put("stages", stages(sections.get("stages")));
    read.put("post", post(sections.get("post")));
    return read;
  }

  private String when(Call when) {
    if (when == null) {
      return "";
    }
    List<Call> calls = calls(when);
    if (calls.size() == 1 && calls.get(0).name().equals("expression")) {
      return code.condition(calls.get(0));
    }
    source.add(when.node(), "when: expected expression { }");
    return "";
  }

  private Map<String, Object> post(Call post) {
    Map<String, Object> read = new LinkedHashMap<>();
    sections("post", post, Grammar.POST)
        .forEach((condition, call) -> read.put(condition, code.steps(call, false)));
    return read;
  }

  private List<Object> listed(Call section, Map<String, Signature> known) {
    List<Object> read = new ArrayList<>();
    List<String> seen = new ArrayList<>();
    for (Call call : calls(section)) {
      if (!known.containsKey(call.name())) {
        unknown(section.name(), call, known.keySet());
      } else if (section.name().equals("options") && seen.contains(call.name())) {
        source.add(call.node(), "options: \"%s\" is given twice", call.name());
      } else {
        read.add(code.option(call, known.get(call.name())));
      }
      seen.add(call.name());
    }
    return read;
  }

  /** The sections of a block by name: each is known, has a block and occurs once. */
  private Map<String, Call> sections(String title, Call owner, Collection<String> known) {
    Map<String, Call> sections = new LinkedHashMap<>();
    for (Call section : calls(owner)) {
      if (!known.contains(section.name())) {
        unknown(title, section, known);
      } else if (section.body() == null) {
        source.add(section.node(), "%s: \"%s\" has no block", title, section.name());
      } else if (sections.put(section.name(), section) != null) {
        source.add(section.node(), "%s: \"%s\" is given twice", title, section.name());
      }
    }
    return sections;
  }

  private void unknown(String title, Call call, Collection<String> known) {
    String names = String.join(", ", known);
    source.add(call.node(), "%s: unknown name \"%s\"; known: %s", title, call.name(), names);
  }

  private List<Call> calls(Call section) {
    List<Call> calls = new ArrayList<>();
    for (Statement statement : section == null ? List.<Statement>of() : section.statements()) {
      Call call = Call.of(statement);
      if (call == null) {
        source.add(statement, "%s: expected the name of an entry", section.name());
      } else {
        calls.add(call);
      }
    }
    return calls;
  }
}
