package io.shardload.jenkins.lint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The Jenkinsfiles of this project: without findings, and with one for each fault put in. */
class JenkinsfilesTest {
  private static final Path ROOT = Path.of("..", "..");
  private static final String TARGET = "sh: ./shardload load needs --target \"$JOB_BASE_NAME\"";
  private static final String RUN = "sh '''./shardload run ";
  private static final String UNLOCKED =
      "sh: ./shardload run must be inside a lock: another build may use the cluster";

  @ParameterizedTest
  @ValueSource(strings = {"Jenkinsfile", "jenkins/matrix.Jenkinsfile"})
  void theyHaveNoFindings(String file) throws IOException {
    assertThat(Linter.lint(read(file))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "echo env.SHARDLOAD_PG_PASSWORD|SHARDLOAD_PG_PASSWORD",
        "echo SHARDLOAD_PG_PASSWORD|SHARDLOAD_PG_PASSWORD",
        "echo \"pw ${env.SHARDLOAD_PG_PASSWORD}\"|SHARDLOAD_PG_PASSWORD",
        "writeFile file: 'results/x', text: env.SHARDLOAD_PG_PASSWORD|SHARDLOAD_PG_PASSWORD",
        "script { currentBuild.description = env.SHARDLOAD_PG_PASSWORD }|SHARDLOAD_PG_PASSWORD",
        "script { if (env.SHARDLOAD_RUNZ) { echo 'x' } }|SHARDLOAD_RUNZ"
      })
  void aNameThatNothingDeclaresIsFound(String step, String name) throws IOException {
    for (String place : List.of(RUN, "sh './shardload publish ", "sh '''./shardload verify ")) {
      assertThat(messages("Jenkinsfile", place, step + "\n" + place))
          .as(place)
          .anySatisfy(
              line ->
                  assertThat(line)
                      .startsWith("\"" + name + "\" is neither a parameter nor a known variable"));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      ignoreLeadingAndTrailingWhitespace = false,
      value = {
        "lock(extra: machines)|lock(extra: [])|" + UNLOCKED,
        "disableRestartFromStage()|timestamps()|option \"disableRestartFromStage\" is missing:"
            + " the stages before fill the lists of machines and secrets",
        "allowEmptyArchive: true|allowEmptyArchive: true, onlyIfSuccessful: true"
            + "|archiveArtifacts: without onlyIfSuccessful: a failed build has results, too",
        "allowEmptyResults: true|allowEmptyResults: true, skipMarkingBuildUnstable: true"
            + "|junit: without skipMarkingBuildUnstable: a missed criterion makes a build unstable",
        "sh 'rm -rf results'|sh 'rm -rf runs .shardload'"
            + "|sh: must be one command of ./shardload, not rm",
        "sh '''./shardload run|sh returnStatus: true, script: '''./shardload run"
            + "|sh: returnStatus hides a failure: only history, results may have it",
        "  stages {|  environment { JOB_BASE_NAME = 'other' }; stages {"
            + "|variable \"JOB_BASE_NAME\" must not be set here",
        "  steps {|  steps { script { params.EXTRA.execute().waitFor() }"
            + "|method \"execute\" of an object must not be called in a Jenkinsfile"
      })
  void aFaultInEitherIsFound(String found, String fault, String message) throws IOException {
    for (String file : List.of("Jenkinsfile", "jenkins/matrix.Jenkinsfile")) {
      assertThat(messages(file, found, fault)).as(file).contains(message);
    }
  }

  @Test
  void theOtherTargetIsNotLoaded() throws IOException {
    String load = "./shardload load --target \"$JOB_BASE_NAME\"";
    String other = load.replace("JOB_BASE_NAME", "COMPARE_WITH");
    assertThat(messages("Jenkinsfile", load, other)).containsExactly(TARGET);
    assertThat(messages("Jenkinsfile", load, "./shardload load")).containsExactly(TARGET);
  }

  @ParameterizedTest
  @ValueSource(strings = {"success", "failure", "unstable", "aborted"})
  void resultsThatSomeBuildsKeepBackAreFound(String condition) throws IOException {
    for (String file : List.of("Jenkinsfile", "jenkins/matrix.Jenkinsfile")) {
      String text = read(file);
      int post = text.lastIndexOf("  post {");
      String head = text.substring(0, post);
      String tail = text.substring(post);
      assertThat(Linter.lint(head + tail.replaceFirst("cleanup \\{", condition + " {")))
          .as(file)
          .anySatisfy(found -> assertThat(found.message()).contains("archiveArtifacts belongs"));
      assertThat(Linter.lint(head + tail.replaceFirst("always \\{", condition + " {")))
          .as(file)
          .anySatisfy(found -> assertThat(found.message()).contains("junit is missing"));
    }
  }

  @Test
  void aReportWithoutATimeLimitIsFound() throws IOException {
    String text = read("Jenkinsfile");
    int report = text.indexOf("void report()");
    String limited = text.substring(report).replaceFirst("timeout\\([^)]*\\)[^)]*\\)", "script");
    assertThat(Linter.lint(text.substring(0, report) + limited))
        .anySatisfy(found -> assertThat(found.message()).isEqualTo("sh: must be inside a timeout"));
  }

  private static List<String> messages(String file, String found, String other) throws IOException {
    assertThat(read(file)).contains(found);
    return Linter.lint(read(file).replace(found, other)).stream().map(Finding::message).toList();
  }

  private static String read(String file) throws IOException {
    return Files.readString(ROOT.resolve(file));
  }
}
