package io.shardload.workload.statements.folder;

import io.shardload.config.ConfigException;
import io.shardload.workload.statements.json.CollectionsFile;
import io.shardload.workload.statements.json.CommandFile;
import io.shardload.workload.statements.port.CommandStatement;
import io.shardload.workload.statements.port.Place;
import io.shardload.workload.statements.port.Problem;
import io.shardload.workload.statements.port.SqlRules;
import io.shardload.workload.statements.port.SqlStatement;
import io.shardload.workload.statements.port.Statement;
import io.shardload.workload.statements.port.StatementSystem;
import io.shardload.workload.statements.sql.SqlFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A workload's folder, read and parsed. Immutable.
 *
 * <p>The hash can be computed elsewhere: it is the hash of the lines that {@code sha256sum} prints
 * for all files, sorted by the bytes of their names, which are relative to the folder. Files and
 * folders whose names begin with a dot, files whose names end in {@code ~}, and {@code README.md}
 * are ignored. In the folder:
 *
 * <pre>
 * find -L . -type f ! -path '*&#47;.*' ! -name '*~' ! -name README.md -printf '%P\0' |
 *   LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum
 * </pre>
 */
public final class Folder {
  /** Verbs that read or write rows; a check or query that writes is refused later. */
  private static final List<String> OF_TRANSACTIONS =
      List.of("delete", "insert", "merge", "select", "table", "update", "values");

  /**
   * Verbs that create tables and related objects, including calls of Citus functions for
   * distribution.
   */
  private static final List<String> OF_SCHEMAS =
      List.of("alter", "comment", "create", "do", "grant", "select", "set");

  /** The folder that makes the tables. */
  public static final String SCHEMA = "schema";

  private final Path path;
  private final String hash;
  private final SortedMap<String, SortedSet<String>> names;

  /** By the file's name without its extension, relative to the folder. */
  private final Map<String, List<List<Statement>>> files;

  private final Switches switches;

  private Folder(
      Path path,
      String hash,
      SortedMap<String, SortedSet<String>> names,
      Map<String, List<List<Statement>>> files,
      Switches switches) {
    this.path = path;
    this.hash = hash;
    this.names = names;
    this.files = files;
    this.switches = switches;
  }

  /**
   * Reads all files of the systems and of those that they fall back to. The names of all other
   * files are checked, too, but not their content.
   *
   * @param systems whose files are read, such as postgresql and citus; all if empty
   * @param switches the options, whose folders {@code NAME=VALUE} may hold further files
   * @throws ConfigException all problems, each with file and line
   */
  public static Folder read(Path path, List<String> systems, Switches switches) {
    Path whole = path.toAbsolutePath().normalize();
    Problems problems = new Problems(String.valueOf(whole.getFileName()));
    FolderFiles found = FolderFiles.list(whole, switches, problems);
    Map<String, List<List<Statement>>> files = new LinkedHashMap<>();
    found
        .statements()
        .forEach(
            (name, bytes) -> {
              String file = name.substring(name.lastIndexOf('/') + 1);
              StatementSystem system = Systems.ofFile(file).orElseThrow();
              if (wanted(system.name(), systems)) {
                files.put(
                    name.substring(0, name.lastIndexOf('.')),
                    parsed(name, bytes, system, switches.byName().keySet(), problems));
              }
            });
    problems.raise();
    return new Folder(whole, found.hash(), found.names(), files, switches);
  }

  /**
   * A system for whose statements no server is needed: one that has a file for each of these
   * transactions, if there is one.
   */
  public static Optional<String> system(Path path, Collection<String> transactions) {
    List<StatementSystem> all = Systems.alone();
    return all.stream()
        .filter(
            system ->
                transactions.stream()
                    .allMatch(name -> has(path.resolve("transactions/" + name), system.file())))
        .findFirst()
        .or(() -> all.stream().filter(system -> has(path, system.file())).findFirst())
        .map(StatementSystem::name);
  }

  private static boolean has(Path folder, String file) {
    try (Stream<Path> all = Files.walk(folder, FileVisitOption.FOLLOW_LINKS)) {
      return all.anyMatch(one -> one.endsWith(file));
    } catch (IOException | UncheckedIOException e) {
      // Reading the folder reports it.
      return false;
    }
  }

  private static boolean wanted(String system, List<String> systems) {
    return systems.isEmpty()
        || systems.contains(system)
        || systems.stream().anyMatch(one -> Systems.fallbackOf(one).equals(Optional.of(system)));
  }

  /** The same files with other values of the options. */
  public Folder with(Switches others) {
    return new Folder(path, hash, names, files, others);
  }

  /** The options with the values that hold. */
  public Switches switches() {
    return switches;
  }

  /**
   * The options whose folders {@code NAME=VALUE} hold files that were read.
   *
   * @param kind only those in this folder, such as {@code schema}; all if empty
   */
  public SortedSet<String> switched(String kind) {
    return labels(kind).stream()
        .flatMap(List::stream)
        .map(label -> label.substring(0, label.indexOf('=')))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Of each folder of options that has files, the names from the outermost one on. */
  public List<List<String>> labels(String kind) {
    return files.keySet().stream()
        .filter(name -> name.startsWith(kind))
        .map(name -> Stream.of(name.split("/")).filter(part -> part.contains("=")).toList())
        .filter(labels -> !labels.isEmpty())
        .distinct()
        .toList();
  }

  /** The folders of options that hold and would replace the files for a system; at most one. */
  public List<String> replacing(String kind, String name, String system) {
    List<String> holding = holding(kind + "/" + name, system);
    return holding.stream()
        .filter(one -> depth(one) == depth(holding.get(holding.size() - 1)))
        .map(one -> one.substring((kind + "/" + name + "/").length()))
        .toList();
  }

  /**
   * The folders of options in a folder that hold and have a file for a system, outer ones first.
   */
  private List<String> holding(String folder, String system) {
    List<String> labels = switches.labels();
    return files.keySet().stream()
        .map(name -> name.substring(0, name.lastIndexOf('/')))
        .filter(place -> place.startsWith(folder + "/"))
        .filter(
            place -> labels.containsAll(List.of(place.substring(folder.length() + 1).split("/"))))
        .filter(place -> own(place, system).isPresent())
        .distinct()
        .sorted(Comparator.comparingInt(Folder::depth).thenComparing(Comparator.naturalOrder()))
        .toList();
  }

  private static int depth(String place) {
    return place.split("/").length;
  }

  /** The folder, absolute. */
  public Path path() {
    return path;
  }

  /** The last part of its path. */
  public String name() {
    return path.getFileName().toString();
  }

  /** SHA-256 in hexadecimal over names and contents of its files. */
  public String hash() {
    return hash;
  }

  /** Names of the folders in {@code transactions}, {@code checks} or {@code queries}, sorted. */
  public List<String> names(String kind) {
    return List.copyOf(names.getOrDefault(kind, new TreeSet<>()));
  }

  /**
   * The variants of a transaction, check or query for a system, or of its fallback system; empty if
   * there is neither.
   */
  public Optional<List<List<Statement>>> variants(String kind, String name, String system) {
    return file(kind + "/" + name, system);
  }

  /** The statements of {@code schema/<system>}, then those that options add; empty if none. */
  public List<Statement> schema(String system) {
    return Stream.concat(Stream.of(SCHEMA), holding(SCHEMA, system).stream())
        .flatMap(place -> own(place, system).stream())
        .flatMap(variants -> variants.get(0).stream())
        .map(switches::filled)
        .toList();
  }

  /** The options that the schema files name; those of one file if it is given. */
  public SortedSet<String> named(String file) {
    SortedSet<String> names = new TreeSet<>();
    files.forEach(
        (name, variants) -> {
          if (name.startsWith(SCHEMA + "/") && (file.isEmpty() || file.startsWith(name + "."))) {
            variants.forEach(all -> all.forEach(one -> names.addAll(one.names())));
          }
        });
    return names;
  }

  /** The file of the innermost folder of options takes the place of the others. */
  private Optional<List<List<Statement>>> file(String folder, String system) {
    List<String> holding = holding(folder, system);
    return own(holding.isEmpty() ? folder : holding.get(holding.size() - 1), system);
  }

  private Optional<List<List<Statement>>> own(String folder, String system) {
    Optional<List<List<Statement>>> own = Optional.ofNullable(files.get(folder + "/" + system));
    return own.or(() -> Systems.fallbackOf(system).map(other -> files.get(folder + "/" + other)));
  }

  /** The parameters of all variants of a transaction, check or query for a system. */
  public SortedSet<String> used(String kind, String name, String system) {
    SortedSet<String> used = new TreeSet<>();
    variants(kind, name, system).stream()
        .flatMap(List::stream)
        .flatMap(List::stream)
        .forEach(statement -> used.addAll(statement.names()));
    return used;
  }

  /** All statements, including the schema, by the system of their file. */
  public Map<String, List<Statement>> all() {
    Map<String, List<Statement>> all = new TreeMap<>();
    files.forEach(
        (name, variants) ->
            variants.forEach(
                all.computeIfAbsent(
                        name.substring(name.lastIndexOf('/') + 1), key -> new ArrayList<>())
                    ::addAll));
    return all;
  }

  /** Collects the problems of a folder. Not thread-safe. */
  static final class Problems implements Consumer<Problem> {
    private final String folder;
    private final List<ConfigException> whole = new ArrayList<>();
    private final List<Problem> inFiles = new ArrayList<>();

    Problems(String folder) {
      this.folder = folder;
    }

    @Override
    public void accept(Problem problem) {
      inFiles.add(problem);
    }

    /** A problem of a file or folder as a whole. */
    void of(String name, String text) {
      whole.add(new ConfigException("", "%s/%s: %s".formatted(folder, name, text)));
    }

    /** Throws all problems: problems of whole files first, then by file and line. */
    void raise() {
      inFiles.stream()
          .sorted(
              Comparator.comparing((Problem problem) -> problem.place().file())
                  .thenComparing(problem -> problem.place().line()))
          .map(problem -> new ConfigException("", folder + "/" + problem))
          .forEach(whole::add);
      if (!whole.isEmpty()) {
        throw ConfigException.of(whole);
      }
    }
  }

  /**
   * The variants of a file; not usable if there is a problem.
   *
   * @param options which a schema may name
   */
  private static List<List<Statement>> parsed(
      String name,
      byte[] bytes,
      StatementSystem system,
      Set<String> options,
      Consumer<Problem> problems) {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      problems.accept(new Problem(new Place(name, 1), "the file is not encoded in UTF-8"));
      return List.of();
    }
    String content = text.startsWith("\uFEFF") ? text.substring(1) : text;
    if (content.isBlank()) {
      problems.accept(new Problem(new Place(name, 1), "the file is empty"));
      return List.of();
    }
    boolean schema = name.startsWith(SCHEMA + "/");
    if (system.rules().isPresent()) {
      SqlRules rules = system.rules().get();
      return schema
          ? parsedSchema(name, content, rules, options, problems)
          : parsedSql(name, content, rules, problems);
    }
    if (!schema) {
      return widened(CommandFile.parse(name, content, problems));
    }
    List<CommandStatement> statements = CollectionsFile.parse(name, content, problems);
    statements.forEach(statement -> checkNames(statement, options, problems));
    return widened(List.of(statements));
  }

  /** A schema has no parameters, but the options of the folder. */
  private static void checkNames(
      Statement statement, Set<String> options, Consumer<Problem> problems) {
    for (String name : statement.names()) {
      if (!options.contains(name)) {
        report(
            statement,
            options.isEmpty()
                ? "a schema must not have parameters: "
                    + (statement instanceof SqlStatement ? ":" : "")
                    + name
                : ConfigException.unknown("", "option", name, options).getMessage(),
            problems);
      }
    }
  }

  private static List<List<Statement>> parsedSql(
      String name, String text, SqlRules rules, Consumer<Problem> problems) {
    List<List<SqlStatement>> variants = SqlFile.parse(name, text, rules, problems);
    for (List<SqlStatement> statements : variants) {
      for (SqlStatement statement : statements) {
        checkVerb(statement, "statement", OF_TRANSACTIONS, problems);
      }
    }
    return widened(variants);
  }

  private static List<List<Statement>> parsedSchema(
      String name, String text, SqlRules rules, Set<String> options, Consumer<Problem> problems) {
    List<List<SqlStatement>> variants = SqlFile.parseSchema(name, text, rules, problems);
    if (variants.size() > 1) {
      problems.accept(new Problem(new Place(name, 1), "a schema must not have variants"));
    }
    for (SqlStatement statement : variants.get(0)) {
      if (statement.verb().equals("drop")) {
        report(statement, "a schema must not drop anything: --recreate drops its tables", problems);
      } else if (statement.writes()) {
        report(
            statement,
            "a schema must not write rows: define them in workload.data.tables",
            problems);
      } else {
        checkVerb(statement, "statement of a schema", OF_SCHEMAS, problems);
      }
      checkNames(statement, options, problems);
    }
    return widened(variants);
  }

  private static void checkVerb(
      SqlStatement statement, String what, List<String> known, Consumer<Problem> problems) {
    if (!known.contains(statement.verb())) {
      String text =
          statement.verb().isEmpty()
              ? "the statement has no verb; known are " + String.join(", ", known)
              : ConfigException.unknown("", what, statement.verb(), known).getMessage();
      report(statement, text, problems);
    }
  }

  private static void report(Statement statement, String text, Consumer<Problem> problems) {
    problems.accept(new Problem(statement.place(), text));
  }

  private static List<List<Statement>> widened(List<? extends List<? extends Statement>> all) {
    return all.stream().map(one -> List.<Statement>copyOf(one)).toList();
  }
}
