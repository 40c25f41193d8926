package io.shardload.jenkins.lint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LinterTest {
  private static final String ARCHIVE =
      "archiveArtifacts belongs in \"always\" or \"cleanup\" of the pipeline's post:"
          + " a failed build has results, too";
  private static final String JUNIT =
      "junit is missing in \"always\", \"cleanup\" or \"unsuccessful\" of the pipeline's post:"
          + " a failed build has results, too";
  private static final String READS =
      "code reads the secret PGPASSWORD: secrets belong only in the environment of commands";
  private static final String SET = "variable \"";
  private static final String SET_END = "\" must not be set here";
  private static final String QUOTES =
      "sh: the script must be a constant in single quotes,"
          + " otherwise Groovy inserts values into the command";

  @Test
  void aSoundPipelineHasNoFindings() throws IOException {
    assertThat(Linter.lint(sound())).isEmpty();
  }

  @Test
  void whatACommentLeavesToTheJobIsKnown() throws IOException {
    String used = sound().replace("\"${PROFILE}\"", "\"$INDEX\"");
    String left = "  // Parameters of the job: STORAGE, INDEX\n  parameters {";

    assertThat(Linter.lint(used)).hasSize(1);
    assertThat(Linter.lint(used.replace("  parameters {", left))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "  post {| posst {|unknown section \"posst\" in pipeline; nearest: \"post\"",
        "  agent { label 'shardload' }| |section \"agent\" of pipeline is missing",
        "agent { label 'shardload' }|agent some|agent must be any, none or { label '...' }",
        "disableConcurrentBuilds()|disableConcurentBuilds()"
            + "|unknown name \"disableConcurentBuilds\" in options; nearest:"
            + " \"disableConcurrentBuilds\"",
        "agent { label|agent { lable|unknown section \"lable\" in agent; nearest: \"label\"",
        "booleanParam(name|boolParam(name"
            + "|unknown name \"boolParam\" in parameters; nearest: \"booleanParam\"",
        "defaultValue: false|defaultValue: 'no'"
            + "|argument \"defaultValue\" of booleanParam is a string, not a boolean",
        "echo 'loading'|ecko 'loading'|unknown step \"ecko\"; nearest: \"echo\"",
        "echo 'loading'|def x = 1|expected a step: Groovy code belongs in script { }",
        "artifacts: 'res|artifact: 'res"
            + "|unknown argument \"artifact\" of archiveArtifacts; nearest: \"artifacts\"",
        "testResults: 'results/junit.xml', | |argument \"testResults\" of junit is missing",
        "allowEmptyResults: true|allowEmptyResults: 'true'"
            + "|argument \"allowEmptyResults\" of junit is a string, not a boolean",
        "always {|allways {|unknown section \"allways\" in post; nearest: \"always\"",
        "when { expr|when { exp"
            + "|unknown condition \"expession\" in when; nearest: \"expression\"",
        "    stage('Check')|    stage(NAME)|the name of a stage must be a constant",
        "      report()|      reprot()|unknown step \"reprot\"; nearest: \"report\"",
        "params.RECREATE_DATA|params.RECREATE_DATE"
            + "|parameter \"RECREATE_DATE\" is not declared; nearest: \"RECREATE_DATA\"",
        "REGION = 'here'|echo 'here'|environment: expected NAME = 'value'"
      })
  void theGrammarIsChecked(String found, String replacement, String message) throws IOException {
    assertThat(messages(found, replacement)).contains(message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "always {|failure {|" + ARCHIVE,
        "always {|success {|" + JUNIT,
        "  post {|  environment { STAGE_NAME = 'x' }; post {|" + SET + "STAGE_NAME" + SET_END,
        "REGION = 'here'|PROFILE = 'here'|" + SET + "PROFILE" + SET_END,
        "REGION = 'here'|SHARDLOAD_PG_PASSWORD = 'here'|" + SET + "SHARDLOAD_PG_PASSWORD" + SET_END,
        "    disableRestartFromStage()| |option \"disableRestartFromStage\" is missing:"
            + " the stages before fill the lists of machines and secrets",
        "      report()|      catchError(buildResult: 'SUCCESS') { report() }"
            + "|catchError: a buildResult other than FAILURE hides a failure",
        "      report()|      warnError('x') { report() }"
            + "|warnError hides a failure: use catchError",
        "  if (code != 0) {|  if (code != 0) { echo 'x' }; if (1 > 2) {"
            + "|sh: no if with the returned code calls error",
        "int code = sh|sh|sh: no if with the returned code calls error",
        "void report() {|void report() { try { checkout(scm) } catch (ignored) { }"
            + "|try hides a failure: use catchError",
        "minutes()|timeout()|method timeout has the name of a step",
        "pipeline {|echo 'x'; pipeline {|code outside the pipeline",
        "    disableConcurrentBuilds()| |option \"disableConcurrentBuilds\" is missing",
        "options { lock(extra: machines) }| "
            + "|sh: ./shardload load must be inside a lock: another build may use the cluster",
        "lock(resource: 'cluster')|timestamps"
            + "|sh: ./shardload run must be inside a lock: another build may use the cluster",
        "    timeout(time: minutes(), unit: 'MINUTES')| |sh: ./shardload run must be inside a timeout",
        "(params.MINUTES ?: '60')|params.MINUTES"
            + "|params.MINUTES in options is null on a job's first build: give a default with ?:",
        "lock(extra: machines)|lock(resource: sh(returnStdout: true, script: './shardload x'))"
            + "|sh in options: Jenkins computes options before it has a node or runs a step",
        "\"${PROFILE}\"|\"$PROFIL\""
            + "|sh: \"$PROFIL\" is neither a parameter nor a known variable; nearest: \"PROFILE\"",
        "\"${PROFILE}\"|$PROFILE|sh: $PROFILE must be in double quotes",
        "results results'|results results; ls'"
            + "|sh: must be one command of ./shardload, without ;",
        "results results'|results \"$(ls)\"'"
            + "|sh: must be one command of ./shardload, without $(",
        "./shardload results|curl results|sh: must be one command of ./shardload, not curl",
        "echo 'loading'|echo \"with ${PGPASSWORD}\"|" + READS,
        "echo 'loading'|echo env.PGPASSWORD|" + READS,
        "echo 'loading'|sh 'echo \"$PGPASSWORD\"'|sh: prints the secret $PGPASSWORD",
        "echo 'loading'|sh 'env'|sh: env prints secrets",
        "load --recreate|load --password \"$PGPASSWORD\""
            + "|sh: puts into the arguments of a process the secret $PGPASSWORD",
        "  junit testResults: 'results/junit.xml', allowEmptyResults: true| |" + JUNIT,
        "checkout scm|archiveArtifacts artifacts: 'x'|" + ARCHIVE,
        "checkout scm|script { def x = PGPASSWORD }"
            + "|\"PGPASSWORD\" is neither a parameter nor a known variable",
        "echo 'loading'|writeFile file: 'x', text: env.PGPASSWORD|" + READS,
        "echo 'loading'|echo \"${env}\"|env stands for all of its values: name one of them",
        "void report() {|void other() { }; void report() {|method other is never called"
      })
  void theRulesOfTheProjectAreChecked(String found, String replacement, String message)
      throws IOException {
    assertThat(messages(found, replacement)).contains(message);
  }

  @Test
  void aScriptThatGroovyPutsTogetherIsFound() throws IOException {
    String script = "'./shardload load --recreate --target \"$JOB_BASE_NAME\"'";
    for (String mutant :
        List.of(
            "\"./shardload load --recreate\"",
            "\"./shardload load ${params.PROFILE}\"",
            "'./shardload load ' + params.PROFILE",
            "params.PROFILE")) {
      assertThat(messages("sh " + script, "sh " + mutant)).as(mutant).contains(QUOTES);
    }
  }

  @Test
  void aFindingHasTheLineOfItsCause() throws IOException {
    assertThat(Linter.lint(sound().replace("echo 'loading'", "ecko 'loading'")))
        .containsExactly(new Finding(37, "unknown step \"ecko\"; nearest: \"echo\""));
  }

  @Test
  void textThatIsNoGroovyIsFound() {
    assertThat(Linter.lint("pipeline {\n  agent any\n")).hasSize(1);
    assertThat(Linter.lint("node { }")).containsExactly(new Finding(1, "no pipeline block"));
  }

  private static List<String> messages(String found, String replacement) throws IOException {
    assertThat(sound()).contains(found);
    return Linter.lint(sound().replace(found, replacement)).stream().map(Finding::message).toList();
  }

  private static String sound() throws IOException {
    try (InputStream file = LinterTest.class.getResourceAsStream("sound.Jenkinsfile")) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
