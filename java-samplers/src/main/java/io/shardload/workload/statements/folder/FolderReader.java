package io.shardload.workload.statements.folder;

import io.shardload.config.ConfigException;
import io.shardload.workload.statements.json.CollectionFile;
import io.shardload.workload.statements.json.CommandFile;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.sql.SqlFile;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Finds the files of a folder and has them parsed; notes everything that is wrong. */
final class FolderReader {
  private static final String SCHEMA = "schema";
  private static final Set<String> KINDS =
      new TreeSet<>(List.of(Folder.TRANSACTIONS, Folder.CHECKS, Folder.QUERIES));

  /** Files at the top that are not read here. */
  private static final Pattern OTHERS = Pattern.compile("workload\\.yml|.*\\.csv|.*\\.md");

  private static final Map<String, String> ENDINGS =
      new TreeMap<>(
          Map.of("postgresql", "sql", "citus", "sql", "mongodb", "json", "ferretdb", "json"));
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]*");
  private static final Pattern QUERY_NAME = Pattern.compile("[a-z_][a-z0-9_]*");

  private final Path folder;
  private final List<String> systems;
  private final List<Problem> problems = new ArrayList<>();
  private final Map<String, Map<String, List<List<Statement>>>> statements = new TreeMap<>();
  private final Map<String, List<Statement>> schemas = new TreeMap<>();

  FolderReader(Path folder, List<String> systems) {
    this.folder = folder;
    this.systems = systems;
  }

  List<Problem> problems() {
    return problems;
  }

  Map<String, Map<String, List<List<Statement>>>> statements() {
    return statements;
  }

  Map<String, List<Statement>> schemas() {
    return schemas;
  }

  void read() throws IOException {
    for (String file : FolderHash.files(folder)) {
      if (!file.endsWith("README.md")) {
        read(file);
      }
    }
  }

  private void read(String file) throws IOException {
    String[] parts = file.split("/");
    if (parts.length == 1) {
      if (!OTHERS.matcher(file).matches()) {
        wrong(file, "does not belong here; statements lie in transactions/<name>/<system>");
      }
    } else if (parts[0].equals(SCHEMA)) {
      if (parts.length == 2) {
        schema(file, parts[1]);
      } else {
        wrong(file, "does not belong here; a schema is schema/<system>.sql or .json");
      }
    } else if (!KINDS.contains(parts[0])) {
      Set<String> known = new TreeSet<>(KINDS);
      known.add(SCHEMA);
      wrong(file, ConfigException.unknown("", "folder", parts[0], known).getMessage());
    } else if (parts.length != 3) {
      wrong(
          file,
          "does not belong here; a file is %s/<name>/<system>.sql or .json".formatted(parts[0]));
    } else {
      statements(file, parts);
    }
  }

  private void schema(String file, String name) throws IOException {
    String system = system(file, name);
    if (system.isEmpty()) {
      return;
    }
    String text = text(file);
    if (text.isEmpty()) {
      return;
    }
    schemas.put(
        system,
        List.copyOf(
            isJson(system)
                ? CollectionFile.read(file, text, problems::add)
                : SqlFile.schema(file, text, problems::add)));
  }

  private void statements(String file, String[] parts) throws IOException {
    String name = parts[1];
    Pattern names = parts[0].equals(Folder.QUERIES) ? QUERY_NAME : NAME;
    if (!names.matcher(name).matches()) {
      boolean query = names == QUERY_NAME;
      wrong(
          file,
          "the name \"%s\" has to be lower case, with %s between words"
              .formatted(name, query ? "underscores, as its parameter" : "hyphens"));
    }
    // A transaction that has no file for these systems is known all the same.
    statements.computeIfAbsent(parts[0] + "/" + name, key -> new TreeMap<>());
    String system = system(file, parts[2]);
    String text = system.isEmpty() ? "" : text(file);
    if (text.isEmpty()) {
      return;
    }
    List<? extends List<? extends Statement>> read =
        isJson(system)
            ? CommandFile.read(file, text, problems::add)
            : SqlFile.read(file, text, problems::add);
    List<List<Statement>> variants = new ArrayList<>();
    read.forEach(variant -> variants.add(List.copyOf(variant)));
    statements.get(parts[0] + "/" + name).put(system, List.copyOf(variants));
    if (!parts[0].equals(Folder.TRANSACTIONS)) {
      onlyReads(parts[0], variants);
    }
  }

  private void onlyReads(String kind, List<List<Statement>> variants) {
    int most = kind.equals(Folder.CHECKS) ? 2 : 1;
    String what = kind.equals(Folder.CHECKS) ? "a check" : "a query";
    if (variants.size() > 1) {
      variants.get(1).stream()
          .findFirst()
          .ifPresent(first -> problems.add(new Problem(first.place(), what + " has no variants")));
    }
    for (Statement statement : variants.isEmpty() ? List.<Statement>of() : variants.get(0)) {
      if (statement.writes()) {
        problems.add(new Problem(statement.place(), what + " only reads"));
      }
    }
    if (!variants.isEmpty() && variants.get(0).size() > most) {
      Statement extra = variants.get(0).get(most);
      problems.add(
          new Problem(
              extra.place(),
              most == 1 ? "a query is one statement" : "a check is one statement, or two"));
    }
  }

  /** The system of a file that is to be read; empty for another, and where its name is wrong. */
  private String system(String file, String name) {
    int dot = name.lastIndexOf('.');
    String system = dot < 0 ? name : name.substring(0, dot);
    String ending = ENDINGS.get(system);
    if (ending == null) {
      wrong(file, ConfigException.unknown("", "system", system, ENDINGS.keySet()).getMessage());
      return "";
    }
    if (!name.equals(system + "." + ending)) {
      wrong(file, "the file of %s is %s.%s".formatted(system, system, ending));
      return "";
    }
    return systems.isEmpty() || systems.contains(system) ? system : "";
  }

  private static boolean isJson(String system) {
    return "json".equals(ENDINGS.get(system));
  }

  private String text(String file) throws IOException {
    String text;
    try {
      text = Files.readString(folder.resolve(file));
    } catch (CharacterCodingException e) {
      wrong(file, "is no text in UTF-8");
      return "";
    }
    if (text.isBlank()) {
      wrong(file, "there is no statement");
    }
    return text.isBlank() ? "" : text;
  }

  private void wrong(String file, String message) {
    problems.add(new Problem(new Place(file, 1), message));
  }
}
