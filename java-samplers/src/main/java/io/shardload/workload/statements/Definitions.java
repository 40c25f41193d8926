package io.shardload.workload.statements;

import com.google.gson.JsonObject;
import io.shardload.config.ConfigException;
import io.shardload.config.Durations;
import io.shardload.config.Options;
import io.shardload.workload.Repeats;
import io.shardload.workload.statements.calls.Choice;
import io.shardload.workload.statements.calls.Effect;
import io.shardload.workload.statements.folder.Switches;
import io.shardload.workload.statements.folder.Systems;
import io.shardload.workload.statements.parameters.Entity;
import io.shardload.workload.statements.port.Isolation;
import io.shardload.workload.statements.port.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The sections {@code workload.transactions} and {@code workload.checks}.
 *
 * @param transactions by name, one for each folder of a transaction
 * @param checks by name
 */
public record Definitions(Map<String, Transaction> transactions, Map<String, Check> checks) {
  /** When a check is run. */
  public enum CheckTime {
    BEFORE,
    AFTER,
    BOTH;

    private static final List<String> LABELS = List.of("before", "after", "both");

    /** Whether the check is run before the run; otherwise after it. */
    public boolean at(boolean before) {
      return this == BOTH || before == (this == BEFORE);
    }
  }

  /**
   * Reads both sections.
   *
   * @param transactions names of all transactions
   * @param checks names of all checks
   * @param existing whether the data is existing data of the user, which checks judge only after a
   *     run
   * @param switches the options of the folder
   * @throws ConfigException all problems in them
   */
  public static Definitions read(
      JsonObject transactionSection,
      Collection<String> transactions,
      JsonObject checkSection,
      Collection<String> checks,
      Switches switches,
      boolean existing) {
    Map<String, Transaction> ofTransactions = new LinkedHashMap<>();
    Map<String, Check> ofChecks = new LinkedHashMap<>();
    ConfigException.all(
        () ->
            ofTransactions.putAll(
                all(
                    new Options("workload.transactions", transactionSection),
                    "transaction",
                    transactions,
                    section -> Transaction.read(section, switches))),
        () ->
            ofChecks.putAll(
                all(
                    new Options("workload.checks", checkSection),
                    "check",
                    checks,
                    section -> Check.read(section, existing))));
    return new Definitions(ofTransactions, ofChecks);
  }

  /** The parameters with which answers are compared. */
  Collection<String> named() {
    return transactions.values().stream()
        .flatMap(one -> Stream.concat(Stream.of(one), one.systems().values().stream()))
        .flatMap(one -> one.steps().stream())
        .flatMap(step -> step.parameters().stream())
        .toList();
  }

  /** The same with what the entity makes of its transactions. */
  Definitions with(Entity entity) {
    Map<String, Transaction> all = new LinkedHashMap<>();
    transactions.forEach(
        (name, one) -> {
          Map<String, Transaction> systems = new LinkedHashMap<>();
          one.systems().forEach((system, own) -> systems.put(system, own.with(entity)));
          Transaction whole = one.with(entity);
          all.put(
              name,
              new Transaction(
                  whole.path(),
                  whole.isolation(),
                  whole.severalCommits(),
                  whole.listed(),
                  whole.steps(),
                  whole.effect(),
                  whole.choice(),
                  whole.repeats(),
                  systems));
        });
    return new Definitions(all, checks);
  }

  /** The effects on the entity, by transaction. */
  Map<String, Effect> effects() {
    return each(Transaction::effect);
  }

  /** How reads choose their row, by transaction. */
  Map<String, Choice> choices() {
    return each(Transaction::choice);
  }

  private <T> Map<String, T> each(Function<Transaction, T> of) {
    Map<String, T> all = new LinkedHashMap<>();
    transactions.forEach(
        (name, one) -> Optional.ofNullable(of.apply(one)).ifPresent(v -> all.put(name, v)));
    return all;
  }

  /** The definition of a transaction for a system. */
  Transaction of(String transaction, String system) {
    Transaction whole = transactions.get(transaction);
    return Systems.of(whole.systems(), system).orElse(whole);
  }

  private static <T> Map<String, T> all(
      Options sections, String what, Collection<String> names, Function<Options, T> reader) {
    Map<String, T> all = new LinkedHashMap<>();
    List<Runnable> readings = new ArrayList<>();
    for (String name : sections.keys()) {
      if (!names.contains(name)) {
        readings.add(
            () -> {
              throw ConfigException.unknown(sections.pathOf(name), what, name, names);
            });
      }
    }
    for (String name : names) {
      readings.add(() -> all.put(name, reader.apply(sections.section(name))));
    }
    ConfigException.all(readings.toArray(new Runnable[0]));
    return all;
  }

  /**
   * The definition of a check.
   *
   * @param systems on which it is run; none for all
   */
  record Check(CheckTime when, List<String> systems) {
    private static final String SYSTEMS = "systems";

    static Check read(Options section, boolean existing) {
      String label = section.choice("when", existing ? "after" : "both", CheckTime.LABELS);
      List<String> systems = section.texts(SYSTEMS);
      for (String system : systems) {
        if (!Systems.names().contains(system)) {
          throw ConfigException.unknown(section.pathOf(SYSTEMS), "system", system, Systems.names());
        }
      }
      section.rejectUnknown();
      return new Check(CheckTime.valueOf(label.toUpperCase(Locale.ROOT)), systems);
    }

    boolean isOf(String system) {
      return systems.isEmpty()
          || systems.contains(system)
          || Systems.fallbackOf(system).filter(systems::contains).isPresent();
    }
  }

  /**
   * The definition of a transaction in {@code workload.yml}.
   *
   * @param path of its section
   * @param severalCommits whether its statements take effect one by one ({@code atomic: false})
   * @param listed whether it has a list of steps, one per statement
   * @param steps the listed steps, or the step of its only statement
   * @param effect on a row of the entity; null if it has none
   * @param choice of a read among the rows; null if any row will do
   * @param repeats when a call is repeated
   * @param systems what holds for a system instead
   */
  record Transaction(
      String path,
      Isolation isolation,
      boolean severalCommits,
      boolean listed,
      List<Step> steps,
      Effect effect,
      Choice choice,
      Repeats repeats,
      Map<String, Transaction> systems) {
    private static final String ENTITY = "entity";
    private static final String ANSWER = "answer";
    private static final String STEPS = "steps";
    private static final String ISOLATION = "isolation";
    private static final String ATOMIC = "atomic";
    private static final String RETRIES = "retries";
    private static final String UNKNOWN = "unknown";
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);
    private static final String SORTED = "sorted";
    private static final String CAPTURE = "capture";
    private static final String OTHERWISE = "otherwise";
    private static final String EACH = "each";
    private static final List<String> EXPECTATIONS =
        Stream.of(
                Stream.of("rows"),
                Step.Relation.OF_PARAMETERS.stream().map(Step.Relation::label),
                Stream.of(ANSWER, SORTED, CAPTURE, OTHERWISE, EACH))
            .flatMap(keys -> keys)
            .toList();

    /** Reads its section, which may be empty. */
    static Transaction read(Options section, Switches switches) {
      List<Transaction> chosen = new ArrayList<>();
      for (String key : section.keys()) {
        int end = key.indexOf('=');
        if (end > 0) {
          JsonObject one = new JsonObject();
          one.addProperty(key.substring(0, end), key.substring(end + 1));
          boolean isMet = switches.condition(section.pathOf(key), one).met(switches);
          Transaction of = one(merged(section, key), Map.of());
          if (isMet) {
            chosen.add(of);
          }
        }
      }
      if (chosen.size() > 1) {
        throw new ConfigException(
            chosen.get(1).path(), "is a second section that holds with the values of the options");
      }
      Transaction whole = whole(section);
      return chosen.isEmpty() ? whole : chosen.get(0);
    }

    private static Transaction whole(Options section) {
      section.has("needs"); // Read with the options of the folder.
      Map<String, Transaction> systems = new LinkedHashMap<>();
      for (String system : Systems.names()) {
        if (section.has(system)) {
          systems.put(system, one(merged(section, system), Map.of()));
        }
      }
      return one(section, systems);
    }

    /** The keys of a system, and those of the transaction that it leaves. */
    private static Options merged(Options section, String system) {
      JsonObject own = section.subtree(system);
      for (String key : List.of(ENTITY, Choice.KEY)) {
        if (own.has(key)) {
          throw new ConfigException(
              section.pathOf(system) + "." + key, "is the same on all systems: set it once, above");
        }
      }
      JsonObject all = new JsonObject();
      boolean expects = own.has(STEPS) || EXPECTATIONS.stream().anyMatch(own::has);
      for (String key : List.of(ISOLATION, ATOMIC, ENTITY, Choice.KEY, RETRIES, UNKNOWN)) {
        section.copy(key, all);
      }
      if (!expects) {
        EXPECTATIONS.forEach(key -> section.copy(key, all));
        section.copy(STEPS, all);
      }
      own.asMap().forEach(all::add);
      return new Options(section.pathOf(system), all);
    }

    private static Transaction one(Options section, Map<String, Transaction> systems) {
      boolean listed = section.has(STEPS);
      List<Step> steps = new ArrayList<>();
      Effect effect = effect(section);
      if (listed) {
        List<String> beside = EXPECTATIONS.stream().filter(section::has).toList();
        if (!beside.isEmpty()) {
          throw new ConfigException(
              section.pathOf(beside.get(0)),
              "cannot be set together with steps: move it into a step");
        }
        for (Options step : section.sections(STEPS)) {
          steps.add(step(step, effect));
          step.rejectUnknown();
        }
      } else {
        steps.add(step(section, effect));
      }
      Isolation isolation = isolation(section);
      Choice choice = section.has(Choice.KEY) ? Choice.read(section) : null;
      if (choice != null && effect != Effect.READ) {
        throw new ConfigException(section.pathOf(Choice.KEY), "is allowed only with entity: read");
      }
      boolean atomic = section.flag(ATOMIC, true);
      if (!atomic && isolation.atomic()) {
        throw new ConfigException(
            section.pathOf(ATOMIC),
            "cannot be false together with isolation: " + isolation.label());
      }
      Repeats repeats = repeats(section);
      section.rejectUnknown();
      String path = section.pathOf("").replaceAll("\\.$", "");
      return new Transaction(
          path, isolation, !atomic, listed, steps, effect, choice, repeats, systems);
    }

    private static Effect effect(Options section) {
      List<String> labels = Stream.of(Effect.values()).map(Effect::label).toList();
      if (!section.has(ENTITY)) {
        return null;
      }
      String label = section.choice(ENTITY, "", labels);
      return Effect.valueOf(label.toUpperCase(Locale.ROOT));
    }

    private static Repeats repeats(Options section) {
      Options retries = section.section(RETRIES);
      long times = -1;
      if (section.has(RETRIES)) {
        retries.requiredText("times");
        times = retries.integer("times", 0, 0, 20);
      }
      String wait = retries.text("wait", "0s");
      List<Duration> bounds =
          Stream.of(wait.split("\\.\\.", 2)).flatMap(one -> Durations.parse(one).stream()).toList();
      Duration most = bounds.isEmpty() ? LONGEST_WAIT : bounds.get(bounds.size() - 1);
      if (bounds.size() != (wait.contains("..") ? 2 : 1)
          || most.compareTo(LONGEST_WAIT) > 0
          || bounds.get(0).compareTo(most) > 0) {
        throw new ConfigException(
            retries.pathOf("wait"),
            "'%s' is not a wait of at most 10s, such as 20ms or 5ms..50ms".formatted(wait));
      }
      retries.rejectUnknown();
      boolean unknown =
          section.has(UNKNOWN) && section.choice(UNKNOWN, "", List.of("repeat")).equals("repeat");
      return new Repeats((int) times, bounds.get(0).toNanos(), most.toNanos(), unknown);
    }

    private static Isolation isolation(Options section) {
      List<String> labels = Stream.of(Isolation.values()).map(Isolation::label).toList();
      String label = section.choice(ISOLATION, Isolation.NONE.label(), labels);
      return Stream.of(Isolation.values())
          .filter(isolation -> isolation.label().equals(label))
          .findFirst()
          .orElseThrow();
    }

    private static Step step(Options section, Effect effect) {
      RowRange rows = RowRange.read(section);
      List<Step.Condition> conditions = new ArrayList<>();
      for (Step.Relation relation : Step.Relation.OF_PARAMETERS) {
        conditions.addAll(conditions(relation, section.section(relation.label())));
      }
      conditions.addAll(answer(section, effect));
      return new Step(
          rows.fewest(),
          rows.most(),
          conditions,
          order(section.section(SORTED)),
          names(section.section(CAPTURE)),
          refuses(section, rows),
          section.text(EACH, ""));
    }

    /** A read of the entity names columns; others may name paths of fields, too. */
    private static List<Step.Condition> answer(Options section, Effect effect) {
      if (section.isSection(ANSWER) && effect != Effect.READ) {
        return names(section.section(ANSWER)).entrySet().stream()
            .map(one -> new Step.Condition(Step.Relation.COMPARED, one.getValue(), one.getKey()))
            .toList();
      }
      return section.texts(ANSWER).stream()
          .map(
              column ->
                  effect == Effect.READ
                      ? new Step.Condition(Step.Relation.ANSWER, column, "")
                      : new Step.Condition(Step.Relation.COMPARED, column, column))
          .toList();
    }

    /** A list of parameters means one of them. */
    private static List<Step.Condition> conditions(Step.Relation relation, Options section) {
      List<Step.Condition> all = new ArrayList<>();
      for (String column : section.keys()) {
        if (relation == Step.Relation.EQUAL && section.isList(column)) {
          for (String name : section.texts(column)) {
            all.add(new Step.Condition(Step.Relation.AMONG, column, name));
          }
        } else {
          all.add(new Step.Condition(relation, column, section.requiredText(column)));
        }
      }
      return all;
    }

    private static boolean refuses(Options section, RowRange rows) {
      if (!section.has(OTHERWISE)) {
        return false;
      }
      section.choice(OTHERWISE, "", List.of("refuse"));
      if (rows.equals(RowRange.ANY)) {
        throw new ConfigException(
            section.pathOf(OTHERWISE), "needs rows: any number of rows meets this step");
      }
      return true;
    }

    private static Step.Order order(Options section) {
      List<Step.Order> orders = new ArrayList<>();
      for (String column : section.keys()) {
        String order = section.choice(column, "", List.of("ascending", "descending"));
        orders.add(new Step.Order(column, order.equals("descending")));
      }
      if (orders.size() > 1) {
        throw new ConfigException(
            section.pathOf(orders.get(1).column()), "is a second column; sorted has one");
      }
      return orders.isEmpty() ? null : orders.get(0);
    }

    private static Map<String, String> names(Options section) {
      Map<String, String> all = new LinkedHashMap<>();
      section.keys().forEach(key -> all.put(key, section.requiredText(key)));
      return all;
    }

    /** Whether no statement has an expectation. */
    private boolean wantsNothing() {
      return !listed && steps.get(0).equals(Step.ANY);
    }

    /**
     * The same with what the entity makes of it: a write of one statement changes one row, and a
     * read returns all columns unless it names some.
     */
    Transaction with(Entity entity) {
      if (effect == null || steps.size() != 1) {
        return this;
      }
      Step step = steps.get(0);
      boolean isAny = step.fewest() < 0;
      boolean isWrite = effect != Effect.READ;
      List<Step.Condition> conditions = new ArrayList<>(step.conditions());
      if (!isWrite) {
        Set<String> answer = new LinkedHashSet<>(step.answer());
        conditions.removeIf(one -> one.relation() == Step.Relation.ANSWER);
        answer.addAll(answer.isEmpty() ? entity.table().columns() : entity.identity());
        answer.forEach(
            column ->
                conditions.add(
                    new Step.Condition(
                        Step.Relation.ANSWER, column, entity.name() + "." + column)));
      }
      Step made =
          new Step(
              isAny && isWrite ? 1 : step.fewest(),
              isAny && isWrite ? 1 : step.most(),
              conditions,
              step.order(),
              step.capture(),
              step.refuses(),
              step.each());
      return new Transaction(
          path, isolation, severalCommits, listed, List.of(made), effect, choice, repeats, systems);
    }

    /** The expectations of this many statements; null if the numbers do not match. */
    List<Step> steps(int statements) {
      if (wantsNothing()) {
        return Stream.generate(() -> Step.ANY).limit(statements).toList();
      }
      return steps.size() == statements ? steps : null;
    }
  }
}
