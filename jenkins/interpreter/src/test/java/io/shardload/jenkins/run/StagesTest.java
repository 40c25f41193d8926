package io.shardload.jenkins.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StagesTest {
  private static final String ALL_CONDITIONS =
      """
      post {
        cleanup { echo 'x' }
        notBuilt { echo 'x' }
        failure { echo 'x' }
        unstable { echo 'x' }
        unsuccessful { echo 'x' }
        success { echo 'x' }
        aborted { echo 'x' }
        regression { echo 'x' }
        fixed { echo 'x' }
        changed { echo 'x' }
        always { echo 'x' }
      }
      """;

  @TempDir private Path folder;
  private Pipeline pipeline;

  @BeforeEach
  void prepare() {
    pipeline = new Pipeline(folder);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "echo 'fine'|SUCCESS|always,changed,fixed,success,cleanup",
        "unstable('slow')|UNSTABLE|always,unsuccessful,unstable,cleanup",
        "error('broken')|FAILURE|always,changed,regression,unsuccessful,failure,cleanup",
        "catchError(buildResult: 'ABORTED') { error('x') }"
            + "|ABORTED|always,changed,regression,aborted,unsuccessful,cleanup"
      })
  void postConditionsRunInTheirOrder(String step, String result, String conditions)
      throws Exception {
    pipeline
        .sections("stages { stage('one') { steps { " + step + " } } }\n" + ALL_CONDITIONS)
        .set("previous_result", "\"UNSTABLE\"")
        .run();
    assertThat(pipeline.result()).isEqualTo(result);
    assertThat(String.join(",", pipeline.post())).isEqualTo(conditions);
  }

  @Test
  void stagesAfterAFailedOneDoNotRunButItsPostDoes() throws Exception {
    pipeline
        .sections(
            """
            stages {
              stage('one') {
                stages {
                  stage('inner') {
                    steps { sh 'exit 3' }
                    post { failure { echo 'inner failed' } }
                  }
                  stage('after') { steps { echo 'never' } }
                }
                post { always { echo 'outer' } }
              }
              stage('two') { steps { echo 'never' } }
            }
            post { failure { echo 'failed' } }""")
        .run();
    assertThat(pipeline.stages())
        .containsExactly("one FAILURE", "inner FAILURE", "after NOT_RUN", "two NOT_RUN");
    assertThat(pipeline.post()).containsExactly("inner failure", "one always", "failure");
    assertThat(pipeline.text("error")).isEqualTo("script returned exit code 3");
    assertThat(pipeline.log()).contains("inner failed").doesNotContain("never");
  }

  @Test
  void anUnstableStageLetsTheOthersRun() throws Exception {
    pipeline
        .sections(
            """
            stages {
              stage('one') {
                steps { catchError(buildResult: 'UNSTABLE', stageResult: 'FAILURE') { sh 'false' } }
                post { failure { echo 'x' } }
              }
              stage('two') { steps { echo 'x' } }
            }""")
        .run();
    assertThat(pipeline.stages()).containsExactly("one FAILURE", "two SUCCESS");
    assertThat(pipeline.post()).containsExactly("one failure");
    assertThat(pipeline.result()).isEqualTo("UNSTABLE");
  }

  @Test
  void aConditionThatDoesNotHoldSkipsTheStageAndWhatItContains() throws Exception {
    pipeline
        .sections(
            """
            environment { MODE = 'fast' }
            stages {
              stage('one') {
                when { not { environment name: 'MODE', value: 'fast' } }
                stages { stage('inner') { steps { echo 'never' } } }
                post { always { echo 'never' } }
              }
              stage('two') { when { expression { MODE == 'fast' } }
                steps { echo 'x' } }
            }""")
        .run();
    assertThat(pipeline.stages()).containsExactly("one SKIPPED", "inner SKIPPED", "two SUCCESS");
    assertThat(pipeline.post()).isEmpty();
  }

  @Test
  void aFailureInPostFailsTheBuildAndTheNextConditionSeesIt() throws Exception {
    pipeline
        .sections(
            """
            stages { stage('one') { steps { echo 'x' } } }
            post {
              failure { echo 'x' }
              always { error 'in post' }
              success { echo 'x' }
            }""")
        .run();
    assertThat(pipeline.post()).containsExactly("always", "failure");
    assertThat(pipeline.result()).isEqualTo("FAILURE");
  }

  @Test
  void missedTestsInPostMakeTheBuildUnstable() throws Exception {
    pipeline
        .sections(
            """
            stages { stage('one') { steps { writeFile file: 'r/junit.xml', text: '''<testsuites>
              <testsuite name="s"><testcase name="a"/><testcase name="b"><skipped message="why"/></testcase>
              <testcase name="c" classname="k"><failure message="missed"/></testcase></testsuite></testsuites>'''
            } } }
            post {
              always {
                junit testResults: 'r/*.xml'
                archiveArtifacts artifacts: 'r/**'
              }
              success { echo 'x' }
              unstable { echo 'x' }
            }""")
        .run();
    assertThat(pipeline.result()).isEqualTo("UNSTABLE");
    assertThat(pipeline.post()).containsExactly("always", "unstable");
    assertThat(pipeline.object("junit").get("failed").getAsInt()).isEqualTo(1);
    assertThat(pipeline.object("junit").get("skipped").getAsInt()).isEqualTo(1);
    assertThat(pipeline.list("archived")).containsExactly("r/junit.xml");
    assertThat(folder.resolve("archive/r/junit.xml")).exists();
  }

  @Test
  void nothingToArchiveFailsABuildThatWasFine() throws Exception {
    pipeline.steps("archiveArtifacts artifacts: 'none/**'").run();
    assertThat(pipeline.text("error")).contains("No artifacts found");
    pipeline.steps("junit testResults: 'none/*.xml'").run();
    assertThat(pipeline.text("error")).contains("No test report files were found");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ecko 'x'|unknown step \"ecko\"; nearest: \"echo\"",
        "sh skript: 'x'|unknown argument \"skript\" of sh; nearest: \"script\"",
        "timeout(time: '5') { echo 'x' }|argument \"time\" of timeout is a string, not a number",
        "lock('x')|lock: the block is missing",
        "retry(2) { error 'again' }|again"
      })
  void whatIsNotKnownFails(String step, String message) throws Exception {
    pipeline.steps(step).run();
    assertThat(pipeline.result()).isEqualTo("FAILURE");
    assertThat(pipeline.text("error")).isEqualTo(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'touch ran'.execute().waitFor(); }; script { @Grab('x:y:1') def x = 1",
        "new File('ran').createNewFile()",
        "System.exit(3)",
        "this.evaluate('1')"
      })
  void codeThatTheSandboxRefusesIsNotExecuted(String code) throws Exception {
    pipeline.steps("sh 'touch ran'\nscript { " + code + " }").run();
    assertThat(pipeline.result()).isEqualTo("FAILURE");
    assertThat(pipeline.text("error")).contains("WorkflowScript.groovy: 6: ");
    assertThat(pipeline.workspace.resolve("ran")).doesNotExist();
  }

  @Test
  void aFileWithoutASoundPipelineFails() throws Exception {
    assertThat(pipeline.file("pipeline {").run().result()).isEqualTo("FAILURE");
    assertThat(pipeline.file("echo 'x'").run().text("error")).contains("no pipeline block");
    pipeline.sections("stagess { }").run();
    assertThat(pipeline.text("error"))
        .isEqualTo("unknown name \"stagess\" in pipeline; nearest: \"stages\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"agent any", "parallel { }", "failFast true", "matrix { }", "tools { }"})
  void aSectionThatIsNotExecutedIsRefused(String section) throws Exception {
    pipeline
        .sections("stages { stage('one') {\n" + section + "\nsteps { sh 'touch ran' } } }")
        .run();
    assertThat(pipeline.text("error")).contains("unknown name").contains("stage \"one\"");
    assertThat(pipeline.workspace.resolve("ran")).doesNotExist();
  }
}
