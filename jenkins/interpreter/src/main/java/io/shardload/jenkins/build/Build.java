package io.shardload.jenkins.build;

import groovy.lang.GroovyObjectSupport;
import groovy.lang.MissingPropertyException;
import io.shardload.jenkins.process.ShellProcess;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** The state of the build that a pipeline runs in. */
public final class Build {
  private static final String JENKINS = "http://jenkins.invalid/";

  private final Setup setup;
  private final Console console;
  private final BuildRecord record = new BuildRecord();
  private final Variables variables = new Variables();
  private final Interruptions interruptions;
  private final Map<String, Object> declared = new LinkedHashMap<>();
  private final Deque<Path> directories = new ArrayDeque<>();
  private final String cookie = UUID.randomUUID().toString();
  private Result result;
  private Result stageWarning = Result.SUCCESS;
  private String description;
  private String displayName;
  private boolean onNode;

  public Build(Setup setup, Console console, Interruptions interruptions) {
    this.setup = setup;
    this.console = console;
    this.interruptions = interruptions;
    displayName = "#" + setup.build();
    directories.push(setup.workspace());
    prepareVariables();
  }

  private void prepareVariables() {
    System.getenv().forEach(variables::agent);
    String job = setup.job();
    String jobUrl = JENKINS + "job/" + job.replace("/", "/job/") + "/";
    String number = Integer.toString(setup.build());
    variables.build("CI", "true");
    variables.build("JENKINS_URL", JENKINS);
    variables.build("JOB_NAME", job);
    variables.build("JOB_BASE_NAME", job.substring(job.lastIndexOf('/') + 1));
    variables.build("JOB_URL", jobUrl);
    variables.build("BUILD_NUMBER", number);
    variables.build("BUILD_ID", number);
    variables.build("BUILD_DISPLAY_NAME", displayName);
    variables.build("BUILD_TAG", "jenkins-" + job.replace('/', '-') + "-" + number);
    variables.build("BUILD_URL", jobUrl + number + "/");
    setup.env().forEach(variables::build);
    if (setup.parameters() != null) {
      setup.parameters().forEach((name, value) -> variables.parameter(name, value.toString()));
    }
  }

  /** Allocates the agent: from now on steps have a workspace and processes. */
  public void enterNode() {
    onNode = true;
    variables.agent(ShellProcess.NODE_COOKIE, cookie);
    variables.agent("NODE_NAME", "agent");
    variables.agent("NODE_LABELS", "agent " + record.agent);
    variables.agent("EXECUTOR_NUMBER", "0");
    variables.agent("WORKSPACE", setup.workspace().toString());
    variables.agent("WORKSPACE_TMP", setup.workspace() + "@tmp");
  }

  public void leaveNode() {
    onNode = false;
  }

  public boolean onNode() {
    return onNode;
  }

  /** Adds the parameters of the Jenkinsfile to the job, as {@code Utils.updateJobProperties}. */
  public void declare(Map<String, Object> defaults) {
    declared.putAll(defaults);
    record.parametersDeclared.putAll(defaults);
    if (setup.jobParameters() != null) {
      record.parametersAfter.putAll(setup.jobParameters());
    }
    record.parametersAfter.putAll(defaults);
  }

  /** As {@code ParamsVariable}: the build's values, and the job's defaults for the others. */
  public Map<String, Object> parameters() {
    Map<String, Object> values = new LinkedHashMap<>(declared);
    if (setup.parameters() != null) {
      values.putAll(setup.parameters());
    }
    return Collections.unmodifiableMap(values);
  }

  /** A parameter that the build was started with, or null. */
  public Object given(String name) {
    return setup.parameters() == null ? null : setup.parameters().get(name);
  }

  public Setup setup() {
    return setup;
  }

  public Console console() {
    return console;
  }

  public BuildRecord record() {
    return record;
  }

  public Variables variables() {
    return variables;
  }

  public Interruptions interruptions() {
    return interruptions;
  }

  public String cookie() {
    return cookie;
  }

  public Deque<Path> directories() {
    return directories;
  }

  public Path directory() {
    return directories.peek();
  }

  public String description() {
    return description;
  }

  /** The result of the build as it stands; SUCCESS where nothing has set it. */
  public Result result() {
    return result == null ? Result.SUCCESS : result;
  }

  /** The result that was set, or null. */
  public Result resultSet() {
    return result;
  }

  /** Sets the result without regard to the one before. */
  public void replaceResult(Result exact) {
    result = exact;
  }

  /** Makes the result worse, never better, as {@code WorkflowRun.setResult}. */
  public void worsen(Result other) {
    result = result().worse(other);
  }

  public Result stageWarning() {
    return stageWarning;
  }

  public void stageWarning(Result warning) {
    stageWarning = warning;
  }

  /** Marks the running stage. */
  public void warn(Result warning) {
    stageWarning = stageWarning.worse(warning);
  }

  public GroovyObjectSupport env() {
    return new Env();
  }

  public GroovyObjectSupport current() {
    return new Current();
  }

  private final class Env extends GroovyObjectSupport {
    @Override
    public Object getProperty(String name) {
      return variables.get(name);
    }

    @Override
    public void setProperty(String name, Object value) {
      variables.set(name, String.valueOf(value));
    }
  }

  /** The properties of {@code RunWrapper} that this project uses. */
  private final class Current extends GroovyObjectSupport {
    @Override
    public Object getProperty(String name) {
      return switch (name) {
        case "result" -> result == null ? null : result.toString();
        case "currentResult" -> result().toString();
        case "description" -> description;
        case "displayName" -> displayName;
        case "number" -> setup.build();
        case "fullProjectName" -> setup.job();
        case "projectName" -> variables.get("JOB_BASE_NAME");
        case "absoluteUrl" -> variables.get("BUILD_URL");
        default -> throw new MissingPropertyException(name, Current.class);
      };
    }

    @Override
    public void setProperty(String name, Object value) {
      switch (name) {
        case "result" -> worsen(Result.valueOf(String.valueOf(value)));
        case "description" -> description = value == null ? null : value.toString();
        case "displayName" -> displayName = String.valueOf(value);
        default -> throw new MissingPropertyException(name, Current.class);
      }
    }
  }
}
