package io.shardload.jenkins.sandbox;

import io.shardload.jenkins.grammar.Nearest;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiConsumer;
import org.codehaus.groovy.ast.ASTNode;
import org.codehaus.groovy.ast.AnnotatedNode;
import org.codehaus.groovy.ast.ClassNode;
import org.codehaus.groovy.ast.ImportNode;
import org.codehaus.groovy.ast.MethodNode;
import org.codehaus.groovy.ast.ModuleNode;
import org.codehaus.groovy.control.CompilerConfiguration;

/**
 * Refuses Groovy code that the sandbox of Jenkins refuses, or that no Jenkinsfile needs.
 *
 * <p>Jenkins decides while the code runs, by the class of each object. Here the names decide:
 * without constructors, classes and type conversions every object is a string, a number, a list or
 * a map, and each method is one that script-security's generic whitelist has for these.
 */
public final class Sandbox {
  static final Set<String> METHODS =
      words(
          "add addAll any collect contains containsKey each endsWith every findAll isEmpty join"
              + " readLines replace size sort split startsWith toBoolean toInteger toLowerCase"
              + " toString toUpperCase tokenize trim unique");
  static final Set<String> TYPES =
      words("java.lang.Object Object String Integer int Boolean boolean List Map void");

  private static final String FIELD = "groovy.transform.Field";

  private final BiConsumer<ASTNode, String> found;

  private Sandbox(BiConsumer<ASTNode, String> found) {
    this.found = found;
  }

  /** Reports each node that is refused, with the reason. */
  public static void check(ModuleNode module, BiConsumer<ASTNode, String> found) {
    new Sandbox(found).module(module);
  }

  /** How a Jenkinsfile is compiled: {@code @Grab} would fetch a library before any check. */
  public static CompilerConfiguration configuration() {
    CompilerConfiguration configuration = new CompilerConfiguration();
    configuration.setDisabledGlobalASTTransformations(
        Set.of("groovy.grape.GrabAnnotationTransformation"));
    return configuration;
  }

  private static Set<String> words(String text) {
    return new TreeSet<>(List.of(text.split(" ", -1)));
  }

  private void module(ModuleNode module) {
    module.getImports().forEach(this::imported);
    module.getStarImports().forEach(this::imported);
    Map<String, ImportNode> statics = module.getStaticImports();
    statics.values().forEach(this::imported);
    module.getStaticStarImports().values().forEach(this::imported);
    for (ClassNode node : module.getClasses()) {
      if (!node.isScript()) {
        found.accept(
            node,
            "class \"%s\": classes are not allowed in a Jenkinsfile".formatted(node.getName()));
      }
    }
    if (module.getPackage() != null) {
      found.accept(module.getPackage(), "a package is not allowed in a Jenkinsfile");
    }
    SandboxVisitor visitor = new SandboxVisitor(this);
    module.getStatementBlock().visit(visitor);
    for (MethodNode method : module.getMethods()) {
      annotations(method);
      type(method, method.getReturnType());
      visitor.parameters(method.getParameters());
      method.getCode().visit(visitor);
    }
  }

  private void imported(ImportNode node) {
    boolean field = FIELD.equals(node.getClassName()) && !node.isStatic() && !node.isStar();
    if (!field || !"Field".equals(node.getAlias())) {
      found.accept(node, "%s: only %s may be imported".formatted(node.getText(), FIELD));
    }
    annotations(node);
  }

  /** Annotations may run code while the file is compiled. */
  void annotations(AnnotatedNode node) {
    node.getAnnotations().stream()
        .map(annotation -> annotation.getClassNode().getName())
        .filter(name -> !name.equals("Field"))
        .forEach(
            name ->
                found.accept(node, "annotation \"@%s\": only @Field is allowed".formatted(name)));
  }

  /** A value is converted to its declared type, by a constructor of it if need be. */
  void type(ASTNode node, ClassNode type) {
    if (!TYPES.contains(type.getName())) {
      found.accept(
          node,
          "type \"%s\" is not allowed: use %s".formatted(type.getName(), String.join(", ", TYPES)));
    }
  }

  void method(ASTNode node, String name) {
    if (!METHODS.contains(name)) {
      found.accept(
          node,
          "method \"%s\" of an object must not be called in a Jenkinsfile%s"
              .formatted(name, Nearest.hint(name, METHODS)));
    }
  }

  void refuse(ASTNode node, String message) {
    found.accept(node, message);
  }
}
