package io.shardload.jenkins.lint;

import io.shardload.jenkins.grammar.Nearest;
import io.shardload.jenkins.grammar.Signature;
import io.shardload.jenkins.grammar.Type;
import org.codehaus.groovy.ast.expr.ConstantExpression;
import org.codehaus.groovy.ast.expr.Expression;
import org.codehaus.groovy.ast.expr.GStringExpression;
import org.codehaus.groovy.ast.expr.ListExpression;
import org.codehaus.groovy.ast.expr.MapExpression;

/** Checks the arguments of a call. */
final class Signatures {
  private final Source source;

  Signatures(Source source) {
    this.source = source;
  }

  void check(CallNode call, Signature signature, boolean block) {
    String name = call.name();
    if (block && call.body() == null) {
      source.add(call.node(), "the block of %s is missing", name);
    }
    if (!block && call.body() != null) {
      source.add(call.node(), "%s has no block", name);
    }
    boolean unnamed = call.unnamed().size() == 1 && signature.sole() != null;
    if (!call.unnamed().isEmpty() && !unnamed) {
      source.add(call.node(), "the arguments of %s must be named", name);
    }
    if (unnamed) {
      type(call, signature, signature.sole(), call.unnamed().get(0));
    }
    call.named().forEach((argument, value) -> type(call, signature, argument, value));
    signature
        .arguments()
        .forEach(
            (argument, description) -> {
              if (description.required() && call.argument(argument, signature.sole()) == null) {
                source.add(call.node(), "argument \"%s\" of %s is missing", argument, name);
              }
            });
  }

  private void type(CallNode call, Signature signature, String argument, Expression value) {
    Signature.Argument known = signature.arguments().get(argument);
    if (known == null) {
      String hint = Nearest.hint(argument, signature.arguments().keySet());
      source.add(call.node(), "unknown argument \"%s\" of %s%s", argument, call.name(), hint);
      return;
    }
    Type type = type(value);
    if (type != null && !known.type().accepts(type)) {
      source.add(
          value.getLineNumber() > 0 ? value : call.node(),
          "argument \"%s\" of %s is %s, not %s",
          argument,
          call.name(),
          type.described(),
          known.type().described());
    }
  }

  /** The type of a literal value, or null for a computed one. */
  private static Type type(Expression value) {
    if (value instanceof ConstantExpression constant) {
      return constant.isNullExpression() ? null : Type.of(constant.getValue());
    }
    if (value instanceof GStringExpression) {
      return Type.STRING;
    }
    if (value instanceof ListExpression) {
      return Type.LIST;
    }
    return value instanceof MapExpression ? Type.MAP : null;
  }
}
