package io.shardload.jenkins.lint;

import java.util.Map;
import java.util.Set;
import org.codehaus.groovy.ast.stmt.BlockStatement;
import org.codehaus.groovy.ast.stmt.Statement;

/** The rules of this project on the pipeline as a whole and on results. */
final class ProjectRules implements Code.Rule {
  /** Conditions of post that hold after each end of a build. */
  private static final Set<String> EACH_END = Set.of("always", "cleanup");

  /** Conditions of post that hold after each end of a build except success. */
  private static final Set<String> EACH_BAD_END = Set.of("always", "cleanup", "unsuccessful");

  private final Source source;
  private boolean archives;
  private boolean publishesTests;

  ProjectRules(Source source) {
    this.source = source;
  }

  @Override
  public void check(CallNode call, Context context) {
    switch (call.name()) {
      case "archiveArtifacts" -> archive(call, context);
      case "junit" -> {
        publishesTests |= EACH_BAD_END.contains(context.post());
        refuse(call, "skipMarkingBuildUnstable", "a missed criterion makes a build unstable");
      }
      case "catchError" -> {
        boolean weaker = call.named().containsKey("buildResult");
        if (weaker && !"FAILURE".equals(call.text("buildResult", null))) {
          source.add(call.node(), "catchError: a buildResult other than FAILURE hides a failure");
        }
      }
      case "warnError" -> source.add(call.node(), "warnError hides a failure: use catchError");
      default -> {
        // No rule.
      }
    }
  }

  private void archive(CallNode call, Context context) {
    archives = true;
    if (!EACH_END.contains(context.post())) {
      source.add(
          call.node(),
          "archiveArtifacts belongs in \"always\" or \"cleanup\" of the pipeline's post:"
              + " a failed build has results, too");
    }
    refuse(call, "onlyIfSuccessful", "a failed build has results, too");
  }

  private void refuse(CallNode call, String argument, String reason) {
    if (call.isSet(argument)) {
      source.add(call.node(), "%s: without %s: %s", call.name(), argument, reason);
    }
  }

  /** Rules for the pipeline as a whole; called after its steps. */
  void pipeline(CallNode pipeline, Map<String, CallNode> sections) {
    option(pipeline, sections, "disableConcurrentBuilds", "");
    option(
        pipeline,
        sections,
        "disableRestartFromStage",
        ": the stages before fill the lists of machines and secrets");
    if (!archives) {
      source.add(pipeline.node(), "archiveArtifacts is missing");
    }
    if (!publishesTests) {
      source.add(
          pipeline.node(),
          "junit is missing in \"always\", \"cleanup\" or \"unsuccessful\" of the pipeline's post:"
              + " a failed build has results, too");
    }
  }

  private void option(
      CallNode pipeline, Map<String, CallNode> sections, String option, String reason) {
    if (!has(sections.get("options"), option)) {
      source.add(pipeline.node(), "option \"%s\" is missing%s", option, reason);
    }
  }

  private static boolean has(CallNode section, String entry) {
    if (section == null || !(section.body().getCode() instanceof BlockStatement block)) {
      return false;
    }
    for (Statement statement : block.getStatements()) {
      CallNode call = CallNode.of(statement);
      if (call != null && call.name().equals(entry)) {
        return true;
      }
    }
    return false;
  }
}
