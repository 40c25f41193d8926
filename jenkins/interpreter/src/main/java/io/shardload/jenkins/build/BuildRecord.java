package io.shardload.jenkins.build;

import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a build did, for tests. */
public final class BuildRecord {
  /** A step with its arguments; only a sh step has an exit code. */
  public static final class StepEntry {
    public final String step;
    public final Map<String, Object> arguments;
    public Integer exit;

    public StepEntry(String step, Map<String, Object> arguments) {
      this.step = step;
      this.arguments = arguments;
    }
  }

  /** A stage with its steps in the order of their start. */
  public static final class StageEntry {
    public final String name;
    public final String parent;
    public String status = "NOT_RUN";
    public final List<StepEntry> steps = new ArrayList<>();

    public StageEntry(String name, String parent) {
      this.name = name;
      this.parent = parent;
    }
  }

  /** A post condition that ran, of a stage or, where that is null, of the pipeline. */
  public static final class PostEntry {
    public final String condition;
    public final String stage;
    public final List<StepEntry> steps = new ArrayList<>();

    public PostEntry(String condition, String stage) {
      this.condition = condition;
      this.stage = stage;
    }
  }

  public final Map<String, Object> junit = new LinkedHashMap<>();
  public final List<StageEntry> stages = new ArrayList<>();
  public final List<PostEntry> post = new ArrayList<>();
  public final List<String> locks = new ArrayList<>();
  public final List<String> locksReleased = new ArrayList<>();
  public final List<String> locksAwaited = new ArrayList<>();
  public final List<String> credentials = new ArrayList<>();
  public final List<String> archived = new ArrayList<>();
  public final List<Map<String, Object>> builds = new ArrayList<>();
  public final Map<String, Object> parametersDeclared = new LinkedHashMap<>();
  public final Map<String, Object> parametersAfter = new LinkedHashMap<>();
  public final List<String> options = new ArrayList<>();
  public final List<String> triggers = new ArrayList<>();
  public String agent;
  public String error;

  private List<StepEntry> current = new ArrayList<>();

  public BuildRecord() {
    junit.put("passed", 0);
    junit.put("failed", 0);
    junit.put("skipped", 0);
    junit.put("cases", new ArrayList<Map<String, Object>>());
  }

  /** Adds the steps that follow here; returns where they were added before. */
  public List<StepEntry> enter(List<StepEntry> steps) {
    List<StepEntry> before = current;
    current = steps;
    return before;
  }

  public StepEntry step(String name, Map<String, Object> arguments) {
    StepEntry entry = new StepEntry(name, arguments);
    current.add(entry);
    return entry;
  }

  public void write(Path file, Build build, Path log) throws IOException {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("result", build.result().toString());
    all.put("description", build.description());
    all.put("error", error);
    all.put("agent", agent);
    all.put("options", options);
    all.put("triggers", triggers);
    all.put("stages", stages);
    all.put("post", post);
    all.put("locks", locks);
    all.put("locks_released", locksReleased);
    all.put("locks_awaited", locksAwaited);
    all.put("credentials", credentials);
    all.put("archived", archived);
    all.put("junit", junit);
    all.put("builds", builds);
    all.put("log", log.toString());
    all.put("parameters_declared", parametersDeclared);
    all.put("parameters_after", parametersAfter);
    Files.writeString(
        file,
        new GsonBuilder()
                .serializeNulls()
                .setPrettyPrinting()
                .disableHtmlEscaping()
                .create()
                .toJson(all)
            + "\n");
  }
}
