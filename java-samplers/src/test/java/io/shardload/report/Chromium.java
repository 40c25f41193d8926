package io.shardload.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A real headless Chromium. */
public final class Chromium {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

  private Chromium() {}

  private static String browser() {
    for (String folder : System.getenv("PATH").split(File.pathSeparator, -1)) {
      for (String name : NAMES) {
        if (Files.isExecutable(Path.of(folder, name))) {
          return Path.of(folder, name).toString();
        }
      }
    }
    throw new AssertionError(
        "this test opens a page in Chromium: install it (Debian: apt-get install chromium)");
  }

  /**
   * The page's elements after its script ran; fails if the browser logged anything about it.
   *
   * @param scratch a folder for the browser's own files
   */
  public static String open(Path page, Path scratch) throws IOException, InterruptedException {
    Path dom = scratch.resolve("dom.html");
    List<String> log = run(List.of("--dump-dom", page.toUri().toString()), dom, scratch);
    assertThat(log).noneMatch(line -> line.contains("CONSOLE"));
    String elements = Files.readString(dom);
    assertThat(elements).contains("data-ready=\"true\"").doesNotContain("data-failure");
    return elements;
  }

  /**
   * A picture of a page, whatever becomes of its scripts.
   *
   * @return what the browser logged about the page, violations of its policy among it
   */
  public static List<String> picture(URI page, Path png, Path scratch)
      throws IOException, InterruptedException {
    List<String> options = List.of("--screenshot=" + png, "--hide-scrollbars", page.toString());
    return run(options, scratch.resolve("nothing.txt"), scratch).stream()
        .filter(line -> line.contains("CONSOLE"))
        .toList();
  }

  private static List<String> run(List<String> options, Path output, Path scratch)
      throws IOException, InterruptedException {
    Path log = scratch.resolve("browser.log");
    List<String> command = new ArrayList<>(List.of(browser()));
    command.addAll(List.of("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"));
    command.addAll(
        List.of("--disable-background-networking", "--disable-component-update", "--disable-sync"));
    command.add("--user-data-dir=" + Files.createDirectories(scratch.resolve("browser")));
    command.addAll(List.of("--enable-logging=stderr", "--virtual-time-budget=3000"));
    command.add("--window-size=1280,2000");
    command.addAll(options);
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(output.toFile())
            .redirectError(log.toFile())
            .start();
    try {
      assertThat(process.waitFor(180, TimeUnit.SECONDS)).as("Chromium ended in time").isTrue();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    return Files.readAllLines(log);
  }
}
