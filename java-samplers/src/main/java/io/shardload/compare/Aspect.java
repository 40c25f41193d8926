package io.shardload.compare;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.shardload.bundle.json.Json;
import io.shardload.config.Units;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.function.Function;

/**
 * A property that must be equal in all runs for their figures to be comparable.
 *
 * @param name a stable word
 * @param keys what {@code --vary} must name, or begin with, to make this difference on purpose
 * @param why what a difference means
 * @param value an object whose members are compared one by one, or a single value
 * @param lacking whether a run that lacks this member differs by that from those that have it
 * @param tolerance by how much numbers may differ and count as alike
 * @param mustBeKnown whether runs of which it is not known may differ unseen
 */
public record Aspect(
    String name,
    List<String> keys,
    String why,
    Function<RunFacts, JsonElement> value,
    BiPredicate<RunFacts, String> lacking,
    double tolerance,
    boolean mustBeKnown) {
  private static final List<String> SHARES = List.of("documents", "operations");

  /** The name of the aspect "what an acknowledged write survives". */
  static final String DURABILITY = "durability";

  /** The name of the aspect "number of documents that were asked for". */
  static final String DOCUMENTS = "documents";

  /** The name of the aspect "how documents and keys are made". */
  static final String DATA_SHAPE = "data shape";

  /** The name of the aspect "number of rows before the load". */
  public static final String ROWS_AT_START = "rows at start";

  /** The name of the aspect "number of rows after the load". */
  public static final String ROWS_AT_END = "rows at end";

  /** The name of the aspect "load of the busiest shard". */
  public static final String HOTTEST_SHARD = "hottest shard";

  private static final String OPTIONS = "options";
  private static final String OPTION_KEYS = "workload.options.";

  /** The rounding error of a difference of decimals. */
  private static final double ROUNDING = 1e-9;

  /** The worst first. */
  public static final List<Aspect> ALL =
      List.of(
          aspect(
              DURABILITY,
              Promises.KEYS,
              "an acknowledged write is not equally durable",
              run -> known(Json.object(run.environment(), "server"), "durability")),
          aspect(
              "mix",
              "execution.0.scenario scenarios.",
              "the transactions or their shares differ",
              run -> Json.object(run.config(), "mix")),
          aspect(
              "seed",
              "workload.seed",
              "the documents and the random choices differ",
              run -> known(Json.object(run.config(), "workload"), "seed")),
          aspect("statements", "", "a file of the workload folder differs", RunFacts::statements),
          aspect(
              "parameters",
              "workload.parameters. workload.transactions. workload.checks.",
              "the values of the statements or the expected answers differ",
              RunFacts::parameters),
          aspect(OPTIONS, OPTION_KEYS, "the workload's own options differ", RunFacts::options),
          aspect(
              DOCUMENTS,
              "workload.data. workload.options. target.server-ram",
              "the data sets differ in size",
              run -> known(Json.object(run.environment(), "data"), "documents")),
          aspect(
              DATA_SHAPE,
              "workload.data. workload.options.",
              "the documents or their keys differ",
              Aspect::dataShape),
          aspect(
              ROWS_AT_START,
              "workload.data. workload.options. target.server-ram",
              "the runs did not begin with the same data",
              run -> known(run.environment(), "rows_at_start")),
          aspect(
              ROWS_AT_END,
              "execution. scenarios. workload.data. workload.options. workload.seed target.server-ram",
              "the runs did not leave the same data",
              Aspect::rowsAtEnd),
          aspect(
              "load model",
              "execution.",
              "open and closed models answer different questions",
              run -> new JsonPrimitive(run.open() ? "open" : "closed")),
          aspect("profile", "execution.", "the load differs", Aspect::profile),
          aspect(
              "schema", "schema.", "the indexes, storage or distribution differ", Aspect::schema),
          cluster("topology", "the number of servers differs", Aspect::topology, 0),
          cluster(
              HOTTEST_SHARD,
              "random placement: the share of the fullest or busiest shard, in multiples of the"
                  + " mean",
              Aspect::hottestShard,
              0.1),
          aspect(
                  "server settings",
                  "",
                  "the same server behaves differently",
                  Aspect::serverSettings)
              .lacking(Aspect::leftAtDefault),
          cluster("hardware of the servers", "the hardware changes the times", Aspect::hardware, 0),
          aspect(
              "hardware of the generator",
              "",
              "the hardware changes the times",
              RunFacts::generatorMachines),
          cluster(
              "shares machine",
              "a server that competes with a generator for its cores is slower",
              Aspect::sharesMachine,
              0),
          aspect(
                  "figures of the servers' machines",
                  "target.metrics.",
                  "the CPU and I/O figures of the sides do not mean the same",
                  RunFacts::figures)
              .lacking((run, member) -> false),
          aspect(
                  "client settings",
                  "target.options. execution.0.concurrency execution.0.statement-timeout",
                  "the clients work differently",
                  RunFacts::client)
              .lacking((run, member) -> false),
          aspect(
              "shardload version",
              "",
              "another version may measure differently",
              run -> known(run.environment(), "shardload_version")));

  private static Aspect aspect(
      String name, String keys, String why, Function<RunFacts, JsonElement> value) {
    List<String> list = keys.isEmpty() ? List.of() : List.of(keys.split(" "));
    return new Aspect(name, list, why, value, (run, member) -> true, 0, false);
  }

  /**
   * A property of the servers, which --vary cannot name. It must be known, except in a run without
   * servers.
   */
  private static Aspect cluster(
      String name, String why, Function<RunFacts, JsonElement> value, double tolerance) {
    return new Aspect(name, List.of(), why, value, (run, member) -> false, tolerance, true);
  }

  private Aspect lacking(BiPredicate<RunFacts, String> rule) {
    return new Aspect(name, keys, why, value, rule, tolerance, mustBeKnown);
  }

  /**
   * The effective options, without what was measured of the table. Bundles without effective
   * options are compared by the options in their files.
   */
  private static JsonObject schema(RunFacts run) {
    JsonObject effective = Json.object(run.environment(), "schema").deepCopy();
    if (effective.isEmpty()) {
      return Json.object(run.config(), "schema");
    }
    effective.keySet().removeIf(option -> option.startsWith("measured-"));
    return effective;
  }

  /** Documents of another seed have the same shape, but compress slightly differently. */
  private static JsonObject dataShape(RunFacts run) {
    JsonObject data = Json.object(run.environment(), "data");
    return without(data, "documents", "size", "seed", "options", "measured_compression_ratio");
  }

  /** In a closed model the faster side writes more, which is a result and not a fault. */
  private static JsonElement rowsAtEnd(RunFacts run) {
    OptionalLong rows = run.rowsAtEnd();
    if (!run.open()) {
      return new JsonPrimitive("as it came");
    }
    return rows.isPresent()
        ? new JsonPrimitive(rows.getAsLong())
        : new JsonPrimitive(RunFacts.NOT_KNOWN);
  }

  private static JsonObject profile(RunFacts run) {
    JsonObject load = Json.object(run.config(), "load");
    JsonObject profile = new JsonObject();
    profile.addProperty("name", Json.text(Json.object(run.config(), "run"), "profile", "?"));
    for (String key :
        List.of("workers", "arrivals", "retries", "statement_timeout_seconds", "samples")) {
      profile.addProperty(key, Json.text(load, key, "-"));
    }
    if (load.has("think_time")) {
      profile.addProperty("think_time", Json.object(load, "think_time").toString());
    }
    for (JsonElement element : Json.array(load, "segments")) {
      JsonObject part = element.getAsJsonObject();
      // How long a warm-up was prolonged is a result.
      String seconds = Json.text(part, "asked_seconds", Json.text(part, "seconds", "?"));
      String rate = Json.text(part, "to_rate", "");
      profile.addProperty(
          Json.text(part, "name", "?"),
          seconds + " s" + (rate.isEmpty() ? "" : " at " + rate + "/s"));
    }
    return profile;
  }

  private static JsonElement known(JsonObject from, String key) {
    return new JsonPrimitive(Json.text(from, key, RunFacts.NOT_KNOWN));
  }

  static JsonObject without(JsonObject from, String... keys) {
    JsonObject rest = from.deepCopy();
    List.of(keys).forEach(rest::remove);
    return rest;
  }

  /**
   * The keys of the options in which runs differ. A workload declares its options to be chosen, so
   * they count as varied.
   */
  static List<String> variedOptions(List<RunFacts> runs) {
    return ALL.stream()
        .filter(one -> one.name().equals(OPTIONS))
        .flatMap(one -> one.differing(runs).stream())
        .map(name -> OPTION_KEYS + name)
        .toList();
  }

  public boolean askedFor(List<String> varied) {
    return varied.stream().anyMatch(key -> keys.stream().anyMatch(key::startsWith));
  }

  /** The members that are not the same in all runs; a single value is a member without a name. */
  public Set<String> differing(List<RunFacts> runs) {
    Map<String, Set<String>> values = new TreeMap<>();
    for (RunFacts run : runs) {
      members(run)
          .forEach(
              (name, value) -> values.computeIfAbsent(name, key -> new TreeSet<>()).add(value));
    }
    for (RunFacts run : runs) {
      Set<String> lacks = new TreeSet<>(values.keySet());
      lacks.removeAll(members(run).keySet());
      lacks.stream()
          .filter(name -> lacking.test(run, name))
          .forEach(name -> values.get(name).add("-"));
    }
    values.values().removeIf(this::alike);
    return values.keySet();
  }

  private boolean alike(Set<String> values) {
    if (values.size() == 1 || tolerance == 0 || values.contains(RunFacts.NOT_KNOWN)) {
      return values.size() == 1;
    }
    DoubleSummaryStatistics range =
        values.stream().mapToDouble(Double::parseDouble).summaryStatistics();
    return range.getMax() - range.getMin() <= tolerance + ROUNDING;
  }

  /**
   * The members that differ between runs, or are unknown in a run although they must be known: two
   * servers that hide their hardware do not count as alike.
   */
  public Set<String> doubtful(List<RunFacts> runs) {
    Set<String> names = new TreeSet<>(differing(runs));
    for (RunFacts run : mustBeKnown ? runs : List.<RunFacts>of()) {
      members(run)
          .forEach(
              (name, text) -> {
                if (text.contains(RunFacts.NOT_KNOWN)) {
                  names.add(name);
                }
              });
    }
    return names;
  }

  /** The values of these members in a run. */
  public String text(RunFacts run, Set<String> names) {
    Map<String, String> members = members(run);
    List<String> parts = new ArrayList<>();
    for (String name : names) {
      parts.add((name + " " + members.getOrDefault(name, "-")).strip());
    }
    return String.join(", ", parts);
  }

  /** The values of a run, by the names of the members. */
  public Map<String, String> members(RunFacts run) {
    Map<String, String> members = new TreeMap<>();
    flatten("", value.apply(run), members);
    return members;
  }

  private static void flatten(String name, JsonElement value, Map<String, String> into) {
    if (value.isJsonObject()) {
      value
          .getAsJsonObject()
          .asMap()
          .forEach((key, one) -> flatten(name.isEmpty() ? key : name + "." + key, one, into));
    } else {
      into.put(name, value.isJsonPrimitive() ? value.getAsString() : value.toString());
    }
  }

  /**
   * The hardware of the servers that hold documents.
   *
   * <p>Groups equal machines. RAM is rounded as in the display, because kernels reserve varying
   * amounts.
   */
  private static JsonElement hardware(RunFacts run) {
    if (!hasCluster(run)) {
      return new JsonObject();
    }
    Map<String, Integer> alike = new TreeMap<>();
    for (JsonElement element : Json.array(Json.object(run.environment(), "server"), "machines")) {
      JsonObject machine = element.getAsJsonObject();
      if (Json.flag(machine, "holds_documents")) {
        alike.merge(described(machine), 1, Integer::sum);
      }
    }
    List<String> texts = new ArrayList<>();
    alike.forEach((machine, count) -> texts.add(count == 1 ? machine : count + " of " + machine));
    String text = texts.isEmpty() ? RunFacts.NOT_KNOWN : String.join(" + ", texts);
    return new JsonPrimitive(
        text.contains(RunFacts.NOT_KNOWN) && isBesideTheGenerator(run)
            ? "the generator's machine"
            : text);
  }

  private static String described(JsonObject machine) {
    List<String> known = new ArrayList<>();
    String cpu = Json.text(machine, "cpu", "");
    long cpus = Json.integer(machine, "cpus", 0);
    long ram = Json.integer(machine, "ram_bytes", 0);
    if (!cpu.isEmpty()) {
      known.add(cpu);
    }
    if (cpus > 0) {
      known.add(cpus + " CPUs");
    }
    if (ram > 0) {
      known.add(Units.show((double) ram));
    }
    return known.isEmpty() ? RunFacts.NOT_KNOWN : String.join(", ", known);
  }

  /** Whether there is a server at all: the harness alone has no hardware and no topology. */
  private static boolean hasCluster(RunFacts run) {
    JsonObject target = target(run);
    return !target.has("keeps_data") || Json.flag(target, "keeps_data");
  }

  /** How many shards, data-bearing members and routers there are; an embedded server is one. */
  private static JsonElement topology(RunFacts run) {
    if (!hasCluster(run)) {
      return new JsonObject();
    }
    JsonObject topology = numbers(run);
    return new JsonPrimitive(
        topology.isEmpty()
            ? RunFacts.NOT_KNOWN
            : String.format(
                Locale.ROOT,
                "shards %d, members %d, routers %d",
                Json.integer(topology, "shards", 0),
                Json.integer(topology, "members", 0),
                Json.integer(topology, "routers", 0)));
  }

  private static JsonObject numbers(RunFacts run) {
    JsonObject topology = Json.object(run.environment(), "server", "topology");
    if (!topology.isEmpty() || !Json.flag(target(run), "embedded")) {
      return topology;
    }
    JsonObject single = new JsonObject();
    single.addProperty("shards", 1);
    single.addProperty("members", 1);
    return single;
  }

  /** Whether a server runs on the machine of a generator. */
  private static JsonElement sharesMachine(RunFacts run) {
    if (!hasCluster(run)) {
      return new JsonObject();
    }
    List<JsonObject> machines = new ArrayList<>(run.loadHosts());
    machines.removeIf(host -> !host.has("shares_machine"));
    if (machines.isEmpty()) {
      machines.add(target(run));
    }
    if (!machines.get(0).has("shares_machine")) {
      return new JsonPrimitive(RunFacts.NOT_KNOWN);
    }
    boolean shares = machines.stream().anyMatch(one -> Json.flag(one, "shares_machine"));
    return new JsonPrimitive(shares ? "yes" : "no");
  }

  /** Whether the only server shares the machine of the only generator, whose hardware is known. */
  private static boolean isBesideTheGenerator(RunFacts run) {
    return run.loadHosts().isEmpty()
        && Json.flag(target(run), "shares_machine")
        && Json.integer(numbers(run), "members", 0) == 1;
  }

  /**
   * The largest share of a shard, in multiples of the mean shard's, of the documents and of the
   * operations; 1.00 where there is one shard only.
   */
  private static JsonElement hottestShard(RunFacts run) {
    JsonObject multiples = new JsonObject();
    if (!hasCluster(run)) {
      return multiples;
    }
    JsonArray placement = Json.array(Json.object(run.environment(), "server"), "placement");
    long shards = Math.max(Json.integer(numbers(run), "shards", 0), placement.size());
    for (String what : SHARES) {
      double most = shards == 1 ? 1 : most(placement, what + "_share") * shards;
      multiples.addProperty(
          what, most > 0 ? String.format(Locale.ROOT, "%.2f", most) : RunFacts.NOT_KNOWN);
    }
    return multiples;
  }

  private static double most(JsonArray placement, String key) {
    return placement.asList().stream()
        .mapToDouble(shard -> Json.number(shard.getAsJsonObject(), key, Double.NaN))
        .reduce(0, Math::max);
  }

  private static JsonObject target(RunFacts run) {
    return Json.object(run.environment(), "target");
  }

  /**
   * The settings of a server, and its changed defaults.
   *
   * <p>By product: two products have no common settings. The listen address is not a setting.
   */
  private static JsonObject serverSettings(RunFacts run) {
    JsonObject server = Json.object(run.environment(), "server");
    JsonObject all = Json.object(server, "settings").deepCopy();
    JsonObject changed = without(Json.object(server, "changed_settings"), "port");
    all.keySet().forEach(changed::remove);
    all.addProperty("version", Json.text(server, "version", RunFacts.NOT_KNOWN));
    all.add("changed", changed);
    JsonObject byProduct = new JsonObject();
    byProduct.add(Json.text(server, "name", RunFacts.NOT_KNOWN), all);
    return byProduct;
  }

  /**
   * If a server of the product reports changed settings without this one, it has the default.
   * Whether it lacks one of the other settings depends on its version.
   */
  private static boolean leftAtDefault(RunFacts run, String member) {
    JsonObject server = Json.object(run.environment(), "server");
    return server.has("changed_settings")
        && member.startsWith(Json.text(server, "name", RunFacts.NOT_KNOWN) + ".changed.");
  }
}
