package io.shardload;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules on the text of the sources that neither the formatter nor the compiler knows. */
class StyleTest {
  private static final Path SOURCES = Path.of("src");
  private static final Path MAIN = SOURCES.resolve("main");
  private static final Path TEST = SOURCES.resolve("test");
  private static final Path JENKINS = Path.of("..", "jenkins", "checks");
  private static final Path BUNDLE = MAIN.resolve(Path.of("java", "io", "shardload", "bundle"));

  /** A file of a run bundle, or a folder of one, in a string constant. */
  private static final Pattern BUNDLE_FILE =
      Pattern.compile(
          "\\.(hlog|jsonl|jnl|error)\""
              + "|\"(run|environment|evidence|verification|outcome|summary)\\.json\""
              + "|\"report\\.html\"|\"taurus/|jmeter\\.(log|out)\""
              + "|resolve\\(\"(latencies|journal|taurus)[\"/]");

  private static final int LONGEST_FILE_LINES = 500;
  private static final int LONGEST_METHOD_LINES = 60;
  private static final int MOST_FILES = 25;

  @Test
  void filesAreShortEnoughToRead() throws IOException {
    assertThat(all(SOURCES).stream().filter(path -> lines(path).size() > LONGEST_FILE_LINES))
        .isEmpty();
  }

  @Test
  void methodsAreShortEnoughToRead() throws IOException {
    assertThat(longMethods(all(MAIN), LONGEST_METHOD_LINES)).isEmpty();
    assertThat(longMethods(all(TEST), LONGEST_METHOD_LINES)).isEmpty();
  }

  @Test
  void aMethodThatIsTooLongIsFound(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("Long.java");
    String tooLong = "  void tooLong() {\n" + "    ;\n".repeat(41) + "  }\n";
    String atTheLimit = "  void atTheLimit() {\n" + "    ;\n".repeat(40) + "  }\n";
    Files.writeString(file, "class Long {\n" + tooLong + atTheLimit + "  void none() {}\n}\n");
    assertThat(longMethods(List.of(file), 40)).containsExactly(file + ":2: tooLong, 41 lines");
  }

  @Test
  void foldersAreSmallEnoughToSurvey() throws IOException {
    assertThat(
            all(MAIN).stream()
                .filter(path -> !path.endsWith("package-info.java"))
                .collect(Collectors.groupingBy(Path::getParent, Collectors.counting())))
        .allSatisfy(
            (folder, files) -> assertThat(files).as("%s", folder).isLessThanOrEqualTo(MOST_FILES));
  }

  @Test
  void everyPackageSaysWhatItIsFor() throws IOException {
    assertThat(
            all(MAIN).stream()
                .map(Path::getParent)
                .distinct()
                .filter(folder -> !Files.exists(folder.resolve("package-info.java"))))
        .isEmpty();
  }

  @Test
  void onlyBundleNamesTheFilesOfABundle() throws IOException {
    assertThat(
            sources(MAIN).stream()
                .filter(path -> !path.startsWith(BUNDLE))
                .flatMap(
                    path ->
                        lines(path).stream()
                            .filter(line -> BUNDLE_FILE.matcher(line).find())
                            .map(line -> path.getFileName() + ": " + line.strip())))
        .isEmpty();
  }

  /** The sources of this module, and those of the checks of Jenkinsfiles, which have no tests. */
  private static List<Path> all(Path folder) throws IOException {
    List<Path> all = new ArrayList<>(sources(folder));
    all.addAll(folder.equals(TEST) ? List.of() : sources(JENKINS.resolve(folder)));
    return all;
  }

  private static List<Path> sources(Path folder) throws IOException {
    try (Stream<Path> paths = Files.walk(folder)) {
      return paths.filter(path -> path.toString().endsWith(".java")).toList();
    }
  }

  private static List<String> lines(Path path) {
    try {
      return Files.readAllLines(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The methods with more lines than so many between their braces. */
  private static List<String> longMethods(List<Path> files, int limit) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  manager,
                  null,
                  List.of("-proc:none"),
                  null,
                  manager.getJavaFileObjectsFromPaths(files));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      List<String> found = new ArrayList<>();
      for (CompilationUnitTree unit : task.parse()) {
        new LongMethods(unit, positions, limit, found).scan(unit, null);
      }
      return found;
    }
  }

  private static final class LongMethods extends TreeScanner<Void, Void> {
    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final int limit;
    private final List<String> found;

    LongMethods(
        CompilationUnitTree unit, SourcePositions positions, int limit, List<String> found) {
      this.unit = unit;
      this.positions = positions;
      this.limit = limit;
      this.found = found;
    }

    @Override
    public Void visitMethod(MethodTree method, Void unused) {
      if (method.getBody() != null) {
        long first = line(positions.getStartPosition(unit, method.getBody()));
        long lines = line(positions.getEndPosition(unit, method.getBody())) - first - 1;
        if (lines > limit) {
          String file = unit.getSourceFile().getName();
          found.add("%s:%d: %s, %d lines".formatted(file, first, method.getName(), lines));
        }
      }
      return super.visitMethod(method, null);
    }

    private long line(long position) {
      return unit.getLineMap().getLineNumber(position);
    }
  }
}
