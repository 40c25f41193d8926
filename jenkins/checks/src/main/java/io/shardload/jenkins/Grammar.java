package io.shardload.jenkins;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What this project uses of the declarative syntax and of the steps; anything else is refused.
 *
 * <p>The names come from the constructors and setters of the plugins' classes (ShellStep, LockStep,
 * BindingStep, ArtifactArchiver, JUnitResultsStep and so on). Arguments that would hide a failure
 * are left out, such as {@code buildResult} of catchError, {@code skipMarkingBuildUnstable} of
 * junit and {@code onlyIfSuccessful} of archiveArtifacts.
 */
final class Grammar {
  static final Map<String, Signature> STEPS =
      table(
          "archiveArtifacts artifacts allowEmptyArchive",
          "catchError{} stageResult? catchInterruptions?",
          "checkout =scm",
          "error =message",
          "fileExists =file",
          "junit testResults allowEmptyResults",
          "readFile =file",
          "script{}",
          "sh =script returnStatus? returnStdout?",
          "timeout{} time unit",
          "unstable =message");

  /** Options of the pipeline. A timeout here would cut off what post must do. */
  static final Map<String, Signature> OPTIONS =
      table(
          "buildDiscarder =strategy",
          "disableConcurrentBuilds",
          "disableRestartFromStage",
          "skipDefaultCheckout",
          "timestamps");

  static final Map<String, Signature> STAGE_OPTIONS =
      table("lock extra", "timeout time unit", "withCredentials =bindings");

  static final Map<String, Signature> PARAMETERS =
      table("booleanParam name defaultValue description", "string name defaultValue description");

  /** Values in the form of a call: what an argument of another call may be. */
  static final Map<String, Signature> VALUES =
      table("logRotator numToKeepStr", "string credentialsId variable");

  static final List<String> PIPELINE = words("agent options parameters stages post");
  static final List<String> STAGE = words("options when steps stages post");

  /** The conditions of post, in the order in which Jenkins runs them. */
  static final List<String> POST =
      words(
          "always changed fixed regression aborted success unsuccessful unstable failure notBuilt"
              + " cleanup");

  /** The methods of strings and lists that the Jenkinsfiles call; script-security allows them. */
  static final List<String> METHODS = words("addAll collect readLines replaceAll toInteger trim");

  static final List<String> OPERATORS = words("== != && ||");
  static final List<String> TYPES = words("List boolean int");

  private Grammar() {}

  private static List<String> words(String text) {
    return List.of(text.split(" ", -1));
  }

  private static Map<String, Signature> table(String... lines) {
    Map<String, Signature> table = new TreeMap<>();
    for (String line : lines) {
      Signature signature = Signature.of(line);
      table.put(signature.name(), signature);
    }
    return Collections.unmodifiableMap(table);
  }
}
