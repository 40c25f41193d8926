package io.shardload.jenkins.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VariablesTest {
  private static final String SMOKE =
      "parameters { string(name: 'PROFILE', defaultValue: 'smoke') }\n";

  @TempDir private Path folder;
  private Pipeline pipeline;

  @BeforeEach
  void prepare() {
    pipeline = new Pipeline(folder);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a; touch pwned",
        "$(touch pwned)",
        "`touch pwned`",
        "x' ; touch pwned ; '",
        "x\" ; touch pwned ; \"",
        "a\ntouch pwned\n",
        "\\\" && touch pwned",
        "* ~ ${IFS}",
        "Maß 東京 \uD83D\uDE00"
      })
  void aValueIsNeverACommand(String value) throws Exception {
    JsonObject parameters = new JsonObject();
    parameters.addProperty("PROFILE", value);
    pipeline.setup.add("parameters", parameters);
    pipeline
        .sections(
            SMOKE + "stages { stage('one') { steps { sh 'printf %s \"$PROFILE\" > value' } } }")
        .run();
    assertThat(pipeline.result()).isEqualTo("SUCCESS");
    assertThat(pipeline.read("value")).isEqualTo(value);
    assertThat(pipeline.workspace.resolve("pwned")).doesNotExist();
  }

  @Test
  void theFirstBuildHasDefaultsInParamsButNotInTheEnvironment() throws Exception {
    pipeline
        .sections(
            SMOKE
                + "stages { stage('one') { steps {\n"
                + "echo \"params ${params.PROFILE}\"\n sh 'echo \"in the shell <$PROFILE>\"' } } }")
        .set("job_parameters", "{\"PROFILE\": \"peak\", \"OWN\": \"x\"}")
        .run();
    assertThat(pipeline.log()).contains("params smoke", "in the shell <>");
    assertThat(pipeline.object("parameters_declared").get("PROFILE").getAsString())
        .isEqualTo("smoke");
    assertThat(pipeline.object("parameters_after"))
        .hasToString("{\"PROFILE\":\"smoke\",\"OWN\":\"x\"}");
  }

  @Test
  void optionsAreComputedBeforeTheParametersAreKnown() throws Exception {
    String text =
        SMOKE
            + "stages { stage('one') { options { lock(resource: params.PROFILE ?: 'none') }\n"
            + "steps { echo 'x' } } }";
    assertThat(pipeline.sections(text).run().list("locks")).containsExactly("none");
    pipeline.set("parameters", "{\"PROFILE\": \"peak\"}");
    assertThat(pipeline.run().list("locks")).containsExactly("peak");
    pipeline.steps("echo 'x'").run();
    pipeline
        .sections(
            "stages { stage('one') { options { lock(resource: sh(returnStdout: true, script: 'x')) }\n"
                + "steps { echo 'x' } } }")
        .run();
    assertThat(pipeline.text("error")).isEqualTo("sh needs a node: no workspace here");
  }

  @Test
  void aListInTheOptionsOfAStageIsReadWhenTheStageBegins() throws Exception {
    pipeline
        .file(
            """
            import groovy.transform.Field
            @Field List machines = []
            pipeline {
              agent { label 'shardload' }
              stages {
                stage('one') { steps { script { machines.addAll(['a', 'b'].collect { [resource: it] }) } } }
                stage('two') { options { lock(extra: machines) }
                  steps { echo 'x' } }
              }
            }
            """)
        .run();
    assertThat(pipeline.list("locks")).containsExactly("a", "b");
    assertThat(pipeline.list("locks_released")).containsExactly("a", "b");
    assertThat(pipeline.stages()).startsWith("Declarative: Checkout SCM SUCCESS");
  }

  @Test
  void aLockThatAnotherBuildHoldsIsAwaitedAndFailsHere() throws Exception {
    pipeline
        .steps("lock(extra: [[resource: 'a'], [resource: 'b']]) { sh 'touch used' }")
        .set("locks_held", "[\"b\"]")
        .run();
    assertThat(pipeline.list("locks_awaited")).containsExactly("b");
    assertThat(pipeline.list("locks")).isEmpty();
    assertThat(pipeline.workspace.resolve("used")).doesNotExist();
    assertThat(pipeline.steps("lock(extra: []) { echo 'x' }").run().text("error"))
        .contains("must be specified");
  }

  @Test
  void innerVariablesCountBeforeOuterOnesAndAnEmptyValueUnsets() throws Exception {
    pipeline
        .sections(
            """
            environment { A = 'one'
              B = "two-${A}" }
            stages { stage('one') {
              environment { A = 'stage' }
              steps {
                sh 'echo "<$A> <$B> <$GLOBAL> <$STAGE_NAME> <$JOB_BASE_NAME>"'
                withEnv(['A=', 'PATH+EXTRA=/extra']) { sh 'echo "<${A-unset}> <${PATH%%:*}>"' }
                script { env.C = 'set' }
                sh 'echo "<$C>"'
              }
            } }""")
        .set("env", "{\"GLOBAL\": \"of $JOB_BASE_NAME and $$\"}")
        .run();
    assertThat(pipeline.log())
        .contains("<stage> <two-one> <of citus and $> <one> <citus>", "<unset> </extra>", "<set>");
  }

  @Test
  void secretsAreHiddenInTheLogAndInTheRecord() throws Exception {
    pipeline
        .steps(
            """
            withCredentials([string(credentialsId: 'id', variable: 'SECRET')]) {
              sh 'echo "$SECRET"; printf %s "$SECRET" | base64; [ "$SECRET" = "s3c r\\'t" ] && touch same'
              echo "groovy ${SECRET}"
              error "failed with ${env.SECRET}"
            }""")
        .set("credentials", "{\"id\": \"s3c r't\"}")
        .run();
    assertThat(pipeline.workspace.resolve("same")).exists();
    assertThat(pipeline.log()).contains("groovy ****").doesNotContain("s3c");
    assertThat(Files.readString(folder.resolve("record.json"))).doesNotContain("s3c");
    assertThat(pipeline.text("error")).isEqualTo("failed with ****");
    assertThat(pipeline.list("credentials")).containsExactly("id");
    pipeline.set("credentials", "{}").run();
    assertThat(pipeline.text("error")).contains("Could not find credentials entry");
  }

  @Test
  void aSetupWithAnUnknownKeyIsRefused() throws Exception {
    pipeline.steps("echo 'x'").set("credential", "{}");
    assertThatThrownBy(pipeline::runner)
        .hasMessageContaining("unknown key \"credential\"; nearest: \"credentials\"");
  }

  @Test
  void aSecretInTheMessageOfAnExceptionIsHidden() throws Exception {
    pipeline
        .steps(
            """
            withCredentials([string(credentialsId: 'id', variable: 'SECRET')]) {
              script { SECRET.toInteger() }
            }""")
        .set("credentials", "{\"id\": \"s3cret\"}")
        .run();
    assertThat(pipeline.result()).isEqualTo("FAILURE");
    assertThat(pipeline.text("error")).contains("NumberFormatException", "****");
    assertThat(pipeline.log()).doesNotContain("s3cret");
  }

  @Test
  void anInterruptionWhoseMessageHasASecretIsAFailure() throws Exception {
    pipeline
        .steps(
            """
            withCredentials([string(credentialsId: 'id', variable: 'SECRET')]) {
              timeout(time: 1, unit: 'MILLISECONDS') { sh 'sleep 60' }
            }""")
        .set("credentials", "{\"id\": \"exceeded\"}")
        .run();
    assertThat(pipeline.result()).isEqualTo("FAILURE");
    assertThat(pipeline.text("error")).isEqualTo("Timeout has been ****");
  }
}
