package io.shardload.jenkins.sandbox;

import org.codehaus.groovy.ast.ClassNode;
import org.codehaus.groovy.classgen.GeneratorContext;
import org.codehaus.groovy.control.CompilePhase;
import org.codehaus.groovy.control.SourceUnit;
import org.codehaus.groovy.control.customizers.CompilationCustomizer;
import org.codehaus.groovy.control.messages.SyntaxErrorMessage;
import org.codehaus.groovy.syntax.SyntaxException;

/** Makes what the sandbox refuses an error of the compiler. */
public final class SandboxCustomizer extends CompilationCustomizer {
  public SandboxCustomizer() {
    super(CompilePhase.CONVERSION);
  }

  @Override
  public void call(SourceUnit source, GeneratorContext context, ClassNode node) {
    if (!node.isScript()) {
      // The check of the script finds the class.
      return;
    }
    Sandbox.check(
        source.getAST(),
        (found, message) ->
            source
                .getErrorCollector()
                .addErrorAndContinue(
                    new SyntaxErrorMessage(
                        new SyntaxException(
                            message, found.getLineNumber(), found.getColumnNumber()),
                        source)));
  }
}
