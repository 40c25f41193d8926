package io.shardload.jenkins.lint;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SandboxTest {
  private static final String FILE =
      """
      import groovy.transform.Field
      @Field List names = []
      pipeline { agent any
        stages { stage('one') { steps { script {
          CODE
        } } } } }
      String helper(String text = '') { return text.trim() }
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "'touch x'.execute().waitFor()|method \"execute\" of an object",
        "'touch x'.\"${'execute'}\"()|the name of a method must be a constant",
        "names*.execute()|method \"execute\" of an object",
        "names.colect { it }|in a Jenkinsfile; nearest: \"collect\"",
        "System.exit(3)|method \"exit\" of an object",
        "java.lang.System.exit(3)|method \"exit\" of an object",
        "new File('/etc/passwd').text|\"new File\": no constructors",
        "echo new File('/etc/passwd').text|property \"text\"",
        "File file = ['/etc/passwd']|type \"File\"",
        "echo \"${(['/etc/passwd'] as File)}\"|type \"File\"",
        "echo \"${(File) '/etc/passwd'}\"|type \"File\"",
        "names.each { File file -> echo 'x' }|type \"File\"",
        "names.each { x = 'touch x'.execute() -> echo 'x' }|method \"execute\" of an object",
        "for (File file in names) { echo 'x' }|type \"File\"",
        "echo 'x'.class.name|property \"class\"",
        "echo 'x'['class']|a subscript must be a constant number",
        "echo env['HOME']|a subscript must be a constant number",
        "currentBuild.rawBuild|property \"rawBuild\"",
        "currentBuild.getRawBuild()|method \"getRawBuild\" of an object",
        "this.evaluate('1')|\"this\" is not accessible",
        "evaluate('1')|unknown step \"evaluate\"",
        "def evaluate = 1; evaluate('1')|unknown step \"evaluate\"",
        "getClass()|unknown step \"getClass\"",
        "def run = 'x'.&execute|method pointers are not allowed",
        "echo(*names)|the spread of arguments is not allowed",
        "sh(*: [script: 'x'])|the spread of arguments is not allowed",
        "def (a, b) = names|declare one variable at a time",
        "({ echo 'x' })()|method \"call\" of an object",
        "delegate.echo('x')|\"delegate\" is not accessible"
      })
  void codeThatTheSandboxRefusesIsFound(String code, String message) {
    assertThat(Linter.lint(FILE.replace("CODE", code)))
        .anySatisfy(
            found -> {
              assertThat(found.line()).isEqualTo(5);
              assertThat(found.message()).contains(message);
            });
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "import groovy.transform.Field|import groovy.transform.Field; import java.io.File"
            + "|only groovy.transform.Field may be imported",
        "import groovy.transform.Field|import static java.lang.System.exit as sleep"
            + "|only groovy.transform.Field may be imported",
        "import groovy.transform.Field|import java.lang.*"
            + "|only groovy.transform.Field may be imported",
        "@Field List|@Grab('x:y:1') @Field List|annotation \"@Grab\": only @Field is allowed",
        "names = []|names = 'touch x'.execute()|method \"execute\" of an object",
        "String helper(|class Helper { }; String helper(|class \"Helper\"",
        "String helper(|File helper(|type \"File\"",
        "text = ''|text = 'touch x'.execute()|method \"execute\" of an object",
        "text.trim()|text.toURL()|method \"toURL\" of an object"
      })
  void whatStandsOutsideOfThePipelineIsChecked(String found, String other, String message) {
    assertThat(FILE).contains(found);
    assertThat(messages(FILE.replace(found, other)))
        .anySatisfy(line -> assertThat(line).contains(message));
  }

  @Test
  void textListsAndNumbersAreFree() {
    String code =
        "int size = names.size(); String first = names[0]; names.add([resource: first.trim()]);"
            + " echo \"${size + 1} ${names.collect { it.toUpperCase() }.join(', ')}\"";
    assertThat(messages(FILE.replace("CODE", code)))
        .noneSatisfy(line -> assertThat(line).doesNotContain("missing", "never called"));
  }

  private static List<String> messages(String text) {
    return Linter.lint(text).stream().map(Finding::message).toList();
  }
}
