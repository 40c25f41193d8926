package io.shardload.jenkins.grammar;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The calls that linter and interpreter know.
 *
 * <p>The names and types come from the data-bound constructors and setters of the steps (ShellStep,
 * LockStep, BindingStep, ArtifactArchiver, JUnitResultsStep and so on); anything that this project
 * does not use is left out and therefore refused.
 */
public final class Catalogue {
  public static final Map<String, Signature> STEPS =
      table(
          "sh =script:string! returnStdout:boolean returnStatus:boolean label:string encoding:string",
          "echo =message:string!",
          "print =message:object!",
          "println =message:object",
          "error =message:string!",
          "unstable =message:string!",
          "catchError{} message:string buildResult:string stageResult:string"
              + " catchInterruptions:boolean",
          "warnError{} =message:string! catchInterruptions:boolean",
          "script{}",
          "withCredentials{} =bindings:list!",
          "withEnv{} =overrides:list!",
          "lock{} =resource:string variable:string extra:list"
              + " inversePrecedence:boolean reason:string priority:number",
          "timeout{} =time:number! unit:string activity:boolean",
          "retry{} =count:number!",
          "dir{} =path:string!",
          "timestamps{}",
          "ansiColor{} =colorMapName:string!",
          "sleep =time:number! unit:string",
          "checkout =scm:object! poll:boolean changelog:boolean",
          "archiveArtifacts =artifacts:string! allowEmptyArchive:boolean excludes:string"
              + " fingerprint:boolean onlyIfSuccessful:boolean defaultExcludes:boolean"
              + " caseSensitive:boolean followSymlinks:boolean",
          "junit =testResults:string! allowEmptyResults:boolean skipPublishingChecks:boolean"
              + " skipMarkingBuildUnstable:boolean skipMarkingStageUnstable:boolean"
              + " keepLongStdio:boolean keepProperties:boolean keepTestNames:boolean"
              + " checksName:string skipOldReports:boolean stdioRetention:string"
              + " healthScaleFactor:number",
          "readFile =file:string! encoding:string",
          "writeFile file:string! text:string! encoding:string",
          "fileExists =file:string!",
          "deleteDir",
          "build =job:string! parameters:list wait:boolean propagate:boolean quietPeriod:number"
              + " waitForStart:boolean");

  /** Options that are properties of the job: no part of the pipeline's course. */
  public static final Map<String, Signature> JOB_OPTIONS =
      table(
          "disableConcurrentBuilds abortPrevious:boolean",
          "buildDiscarder =strategy:object!",
          "disableResume",
          "durabilityHint =hint:string!",
          "preserveStashes buildCount:number",
          "quietPeriod =quietPeriod:number!",
          "skipDefaultCheckout =skipDefaultCheckout:boolean",
          "disableRestartFromStage",
          "copyArtifactPermission =projectNames:string!");

  /** Options that wrap the stages: steps with a block that need neither a node nor a workspace. */
  public static final Map<String, Signature> WRAPPERS =
      select(
          STEPS,
          "timeout",
          "timestamps",
          "ansiColor",
          "retry",
          "lock",
          "withCredentials",
          "withEnv",
          "catchError",
          "warnError");

  public static final Map<String, Signature> STAGE_OPTIONS =
      union(WRAPPERS, select(JOB_OPTIONS, "skipDefaultCheckout"));

  public static final Map<String, Signature> OPTIONS = union(WRAPPERS, JOB_OPTIONS);

  public static final Map<String, Signature> PARAMETERS =
      table(
          "string name:string! defaultValue:string description:string trim:boolean",
          "text name:string! defaultValue:string description:string trim:boolean",
          "booleanParam name:string! defaultValue:boolean description:string",
          "choice name:string! choices:list! description:string");

  public static final Map<String, Signature> TRIGGERS =
      table(
          "cron =spec:string!",
          "pollSCM =scmpoll_spec:string!",
          "upstream upstreamProjects:string! threshold:object");

  /** Values in the form of a call: what an argument of another call may be. */
  public static final Map<String, Signature> VALUES =
      table(
          "logRotator numToKeepStr:string daysToKeepStr:string artifactNumToKeepStr:string"
              + " artifactDaysToKeepStr:string",
          "string credentialsId:string variable:string name:string value:string",
          "booleanParam name:string! value:boolean!",
          "credentials =id:string!");

  public static final Map<String, Signature> CONDITIONS =
      table(
          "expression{}",
          "not{}",
          "allOf{}",
          "anyOf{}",
          "environment name:string! value:string! ignoreCase:boolean",
          "equals expected:object! actual:object!",
          "beforeAgent =value:boolean!",
          "beforeOptions =value:boolean!",
          "beforeInput =value:boolean!");

  public static final Set<String> PIPELINE_SECTIONS =
      ordered("agent", "environment", "options", "parameters", "triggers", "stages", "post");
  public static final Set<String> STAGE_SECTIONS =
      ordered("environment", "options", "when", "steps", "stages", "post");

  /** The conditions of post in the order in which they run: by the ordinals of BuildCondition. */
  public static final List<String> POST =
      List.of(
          "always",
          "changed",
          "fixed",
          "regression",
          "aborted",
          "success",
          "unsuccessful",
          "unstable",
          "failure",
          "notBuilt",
          "cleanup");

  private Catalogue() {}

  private static Set<String> ordered(String... names) {
    return Collections.unmodifiableSet(new LinkedHashSet<>(List.of(names)));
  }

  private static Map<String, Signature> table(String... lines) {
    Map<String, Signature> table = new TreeMap<>();
    for (String line : lines) {
      Signature signature = Signature.of(line);
      table.put(signature.name(), signature);
    }
    return Collections.unmodifiableMap(table);
  }

  private static Map<String, Signature> select(Map<String, Signature> from, String... names) {
    Map<String, Signature> chosen = new LinkedHashMap<>();
    for (String name : names) {
      chosen.put(name, from.get(name));
    }
    return Collections.unmodifiableMap(chosen);
  }

  private static Map<String, Signature> union(
      Map<String, Signature> left, Map<String, Signature> right) {
    Map<String, Signature> all = new TreeMap<>(left);
    all.putAll(right);
    return Collections.unmodifiableMap(all);
  }
}
