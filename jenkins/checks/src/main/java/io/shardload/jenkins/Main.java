package io.shardload.jenkins;

import com.google.gson.Gson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * {@code FILE...}: reads Jenkinsfiles.
 *
 * <p>Standard output is a list with an object for each file: {@code file}, {@code findings} (lines
 * of text) and {@code pipeline} ({@link Sections#pipeline}). Standard error has the findings. The
 * exit code is 1 if there is one.
 */
public final class Main {
  private Main() {}

  public static void main(String[] files) throws IOException {
    List<Object> read = new ArrayList<>();
    boolean isSound = true;
    for (String file : files) {
      Source source = new Source(Files.readString(Path.of(file)));
      Map<String, Object> pipeline = new Sections(source).pipeline();
      List<String> findings = new ArrayList<>();
      source
          .findings()
          .forEach((line, all) -> all.forEach(one -> findings.add(file + ":" + line + ": " + one)));
      findings.forEach(System.err::println);
      isSound &= findings.isEmpty();
      read.add(Map.of("file", file, "findings", findings, "pipeline", pipeline));
    }
    System.out.writeBytes(new Gson().toJson(read).getBytes(StandardCharsets.UTF_8));
    System.exit(isSound ? 0 : 1);
  }
}
