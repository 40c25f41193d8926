package io.shardload.jenkins.script;

import java.util.Set;
import java.util.stream.Collectors;
import org.codehaus.groovy.ast.ClassCodeExpressionTransformer;
import org.codehaus.groovy.ast.ClassNode;
import org.codehaus.groovy.ast.MethodNode;
import org.codehaus.groovy.ast.expr.ArgumentListExpression;
import org.codehaus.groovy.ast.expr.ClosureExpression;
import org.codehaus.groovy.ast.expr.ConstantExpression;
import org.codehaus.groovy.ast.expr.Expression;
import org.codehaus.groovy.ast.expr.MapExpression;
import org.codehaus.groovy.ast.expr.MethodCallExpression;
import org.codehaus.groovy.ast.expr.NamedArgumentListExpression;
import org.codehaus.groovy.ast.expr.TupleExpression;
import org.codehaus.groovy.ast.expr.VariableExpression;
import org.codehaus.groovy.classgen.GeneratorContext;
import org.codehaus.groovy.control.CompilePhase;
import org.codehaus.groovy.control.SourceUnit;
import org.codehaus.groovy.control.customizers.CompilationCustomizer;

/**
 * Makes every call by a name alone, {@code sh 'x'}, a call of {@link PipelineScript#pipelineCall}.
 *
 * <p>Groovy would look for a method of that name in closures and objects first: {@code sleep 5} is
 * one of every object. Methods that the Jenkinsfile declares are called as they are.
 */
public final class CallRewriter extends CompilationCustomizer {
  public CallRewriter() {
    super(CompilePhase.CANONICALIZATION);
  }

  @Override
  public void call(SourceUnit source, GeneratorContext context, ClassNode node) {
    Set<String> declared =
        node.getMethods().stream().map(MethodNode::getName).collect(Collectors.toSet());
    new Transformer(source, declared).visitClass(node);
  }

  private static final class Transformer extends ClassCodeExpressionTransformer {
    private final SourceUnit source;
    private final Set<String> declared;

    Transformer(SourceUnit source, Set<String> declared) {
      this.source = source;
      this.declared = declared;
    }

    @Override
    protected SourceUnit getSourceUnit() {
      return source;
    }

    @Override
    public Expression transform(Expression expression) {
      if (expression instanceof ClosureExpression closure) {
        closure.getCode().visit(this);
        return closure;
      }
      if (expression instanceof MethodCallExpression call
          && call.isImplicitThis()
          && call.getMethod() instanceof ConstantExpression name
          && !declared.contains(name.getText())) {
        return rewritten(call, name);
      }
      return super.transform(expression);
    }

    private Expression rewritten(MethodCallExpression call, ConstantExpression name) {
      ArgumentListExpression arguments = new ArgumentListExpression();
      arguments.addExpression(new ConstantExpression(name.getText()));
      if (call.getArguments() instanceof TupleExpression given) {
        given.getExpressions().forEach(value -> arguments.addExpression(map(transform(value))));
      }
      MethodCallExpression rewritten =
          new MethodCallExpression(VariableExpression.THIS_EXPRESSION, "pipelineCall", arguments);
      rewritten.setImplicitThis(true);
      rewritten.setSourcePosition(call);
      return rewritten;
    }

    private static Expression map(Expression argument) {
      return argument instanceof NamedArgumentListExpression named
          ? new MapExpression(named.getMapEntryExpressions())
          : argument;
    }
  }
}
