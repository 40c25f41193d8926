package io.shardload.jenkins.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardload.jenkins.process.ProcessTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ShellTest {
  private static final String CLEAN_UP =
      "post { aborted { echo 'was aborted' }\n always { sh 'touch settled' } }";

  private static final long PAUSE_NANOS = 10_000_000;

  @TempDir private Path folder;
  private Pipeline pipeline;

  @BeforeEach
  void prepare() {
    pipeline = new Pipeline(folder);
  }

  @Test
  void aScriptIsTracedAndEndsAtItsFirstError() throws Exception {
    pipeline.steps("sh 'echo one; false; echo two'").run();
    assertThat(pipeline.log()).contains("+ echo one\none\n+ false").doesNotContain("two\n");
    assertThat(pipeline.text("error")).isEqualTo("script returned exit code 1");
  }

  @Test
  void outputAndExitCodeComeBack() throws Exception {
    pipeline
        .steps(
            """
            script {
              currentBuild.description = sh(returnStdout: true, script: 'echo "  text"').trim()
              if (sh(returnStatus: true, script: 'exit 3') == 3) { unstable('three') }
            }""")
        .run();
    assertThat(pipeline.text("description")).isEqualTo("text");
    assertThat(pipeline.result()).isEqualTo("UNSTABLE");
    assertThat(pipeline.steps(0)).containsExactly("script", "sh", "sh", "unstable");
    assertThat(Path.of(pipeline.workspace + "@tmp")).isEmptyDirectory();
  }

  @Test
  void aCommandIsReplacedBySetup() throws Exception {
    pipeline.steps("sh 'touch really'").set("stubs", "{\"touch .*ly\": {\"exit\": 5}}").run();
    assertThat(pipeline.text("error")).isEqualTo("script returned exit code 5");
    assertThat(pipeline.workspace.resolve("really")).doesNotExist();
  }

  @Test
  void aScriptIgnoresInterruptsAsUnderJenkins() throws Exception {
    pipeline.steps("sh 'kill -INT $$; kill -QUIT $$; kill -HUP $$; touch survived'").run();
    assertThat(pipeline.workspace.resolve("survived")).exists();
  }

  @Test
  void whatABuildLeavesBehindIsEndedWithIt() throws Exception {
    pipeline.steps("sh 'sleep 300 & echo $! > child'\n sh 'kill -0 $(cat child)'").run();
    assertThat(pipeline.result()).isEqualTo("SUCCESS");
    assertThat(ProcessTree.withVariable("WORKSPACE", pipeline.workspace.toString())).isEmpty();
  }

  @Test
  void anAbortEndsTheProcessesAndThenPostRuns() throws Exception {
    pipeline.sections(
        """
        stages {
          stage('one') { steps {
            sh '''(trap "" TERM; echo $$ > deaf; touch ready; while :; do sleep 1; done) &
              trap 'touch told' TERM
              wait; wait; touch ended'''
          } }
          stage('two') { steps { echo 'never' } }
        }
        """
            + CLEAN_UP);
    abortWhen("ready");
    assertThat(pipeline.result()).isEqualTo("ABORTED");
    assertThat(pipeline.stages()).containsExactly("one ABORTED", "two NOT_RUN");
    assertThat(pipeline.post()).containsExactly("always", "aborted");
    assertThat(pipeline.workspace.resolve("settled")).exists();
    assertThat(pipeline.log()).contains("Sending interrupt signal to process", "was aborted");
    assertThat(ProcessTree.withVariable("WORKSPACE", pipeline.workspace.toString())).isEmpty();
  }

  @Test
  void aScriptThatOutlivesTheRemoteTimeoutIsLeftAlone() throws Exception {
    pipeline
        .sections(
            "stages { stage('one') { steps {\n"
                + "sh 'trap \"\" TERM; touch ready; while :; do sleep 1; done' } } }\n"
                + CLEAN_UP)
        .set("soft_kill_seconds", "3")
        .set("remote_timeout_seconds", "0.5");
    abortWhen("ready");
    assertThat(pipeline.log()).contains("process did not stop");
    assertThat(pipeline.workspace.resolve("settled")).exists();
    assertThat(ProcessTree.withVariable("WORKSPACE", pipeline.workspace.toString())).isEmpty();
  }

  @Test
  void aTimeoutAbortsWhatItEnclosesOnly() throws Exception {
    pipeline
        .sections(
            """
            stages {
              stage('one') {
                options { timeout(time: 1, unit: 'SECONDS') }
                steps { sh 'sleep 300' }
              }
            }
            post {
              aborted {
                sleep 2
                sh 'touch settled'
              }
            }""")
        .set("timeout_grace_seconds", "1")
        .run();
    assertThat(pipeline.result()).isEqualTo("ABORTED");
    assertThat(pipeline.text("error")).isEqualTo("Timeout has been exceeded");
    assertThat(pipeline.workspace.resolve("settled")).exists();
  }

  @Test
  void afterATimeoutOfThePipelinePostHasAGracePeriodOnly() throws Exception {
    pipeline
        .file(
            """
            pipeline {
              agent any
              options { timeout(time: 1, unit: 'SECONDS') }
              stages { stage('one') { steps { sh 'sleep 300' } } }
              post { always { sh 'touch began; sleep 300; touch settled' } }
            }
            """)
        .set("timeout_grace_seconds", "2")
        .run();
    assertThat(pipeline.result()).isEqualTo("ABORTED");
    assertThat(pipeline.workspace.resolve("began")).exists();
    assertThat(pipeline.workspace.resolve("settled")).doesNotExist();
    assertThat(pipeline.log()).contains("terminating with extreme prejudice");
    assertThat(ProcessTree.withVariable("WORKSPACE", pipeline.workspace.toString())).isEmpty();
  }

  private void abortWhen(String file) throws IOException, InterruptedException {
    Runner runner = pipeline.runner();
    CompletableFuture<Void> aborted =
        CompletableFuture.runAsync(
            () -> {
              while (!Files.exists(pipeline.workspace.resolve(file))) {
                LockSupport.parkNanos(PAUSE_NANOS);
              }
              runner.abort();
            });
    pipeline.run(runner);
    aborted.join();
  }
}
