package io.shardload.jenkins.step;

import io.shardload.jenkins.build.Build;
import io.shardload.jenkins.build.Result;
import io.shardload.jenkins.build.StepFailure;
import io.shardload.jenkins.script.Arguments;
import io.shardload.jenkins.script.Call;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Steps on the files of the workspace. */
public final class FileSteps {
  private final Build build;

  FileSteps(Build build) {
    this.build = build;
  }

  Map<String, Steps.Step> steps() {
    Map<String, Steps.Step> steps = new HashMap<>();
    steps.put("readFile", (arguments, body, entry) -> read(arguments));
    steps.put("writeFile", (arguments, body, entry) -> write(arguments));
    steps.put("fileExists", (arguments, body, entry) -> Files.exists(path(arguments)));
    steps.put("deleteDir", (arguments, body, entry) -> delete(build.directory()));
    steps.put("archiveArtifacts", (arguments, body, entry) -> archive(arguments));
    steps.put("checkout", (arguments, body, entry) -> checkout(arguments));
    return steps;
  }

  private Path path(Arguments arguments) {
    return build.directory().resolve(arguments.string("file"));
  }

  private Object read(Arguments arguments) throws IOException {
    try {
      return Files.readString(path(arguments));
    } catch (NoSuchFileException e) {
      throw new StepFailure("readFile: no file " + e.getMessage());
    }
  }

  private Object write(Arguments arguments) throws IOException {
    Path path = path(arguments);
    Files.createDirectories(path.getParent());
    Files.writeString(path, arguments.string("text"));
    return null;
  }

  private static Object delete(Path folder) throws IOException {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
    return null;
  }

  /** The set-up puts the files into the workspace: the step is only recorded. */
  private Object checkout(Arguments arguments) {
    if (!(arguments.named().get("scm") instanceof Call call) || !call.name().equals("scm")) {
      throw new StepFailure("checkout: only \"checkout scm\" is implemented");
    }
    return Map.of();
  }

  /** As {@code ArtifactArchiver}. */
  private Object archive(Arguments arguments) throws IOException {
    String pattern = arguments.string("artifacts");
    if (arguments.flag("onlyIfSuccessful")
        && build.result().worse(Result.UNSTABLE) != Result.UNSTABLE) {
      return null;
    }
    build.console().print("Archiving artifacts");
    List<Path> files = Globs.files(build.directory(), pattern, arguments.string("excludes"));
    boolean fails = build.result().worse(Result.UNSTABLE) == Result.UNSTABLE;
    if (files.isEmpty() && fails) {
      String message = "No artifacts found that match the file pattern \"" + pattern + "\".";
      if (!arguments.flag("allowEmptyArchive")) {
        throw new StepFailure(message + " Configuration error?");
      }
      build.console().print(message);
    }
    for (Path file : files) {
      Path target = build.setup().archive().resolve(file);
      Files.createDirectories(target.getParent());
      Files.copy(build.directory().resolve(file), target, StandardCopyOption.REPLACE_EXISTING);
      build.record().archived.add(file.toString());
    }
    return null;
  }
}
