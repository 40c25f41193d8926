package io.shardload.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
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
    Path log = scratch.resolve("browser.log");
    List<String> command = new ArrayList<>(List.of(browser()));
    command.addAll(List.of("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"));
    command.addAll(
        List.of("--disable-background-networking", "--disable-component-update", "--disable-sync"));
    command.add("--user-data-dir=" + Files.createDirectories(scratch.resolve("browser")));
    command.addAll(List.of("--enable-logging=stderr", "--virtual-time-budget=3000"));
    command.addAll(List.of("--window-size=1280,2000", "--dump-dom"));
    command.add(page.toUri().toString());
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(dom.toFile())
            .redirectError(log.toFile())
            .start();
    try {
      assertThat(process.waitFor(180, TimeUnit.SECONDS)).as("Chromium ended in time").isTrue();
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    assertThat(Files.readAllLines(log)).noneMatch(line -> line.contains("CONSOLE"));
    String elements = Files.readString(dom);
    assertThat(elements).contains("data-ready=\"true\"").doesNotContain("data-failure");
    return elements;
  }
}
