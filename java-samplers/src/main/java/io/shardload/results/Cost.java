package io.shardload.results;

import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.Counts;
import io.shardload.bundle.json.Json;
import io.shardload.results.Bottleneck.Resource;
import io.shardload.results.measured.Segments;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What a million transactions cost in the segments of {@link MachineUse}, by the prices of the
 * target.
 *
 * <pre>
 * machines = price of an hour / (3600 * rate) * 1e6
 * I/O      = disk operations per transaction * price of a million
 * storage  = GB * price of a GB and month / (730 * 3600 * rate) * 1e6
 * </pre>
 *
 * <p>The rate is the achieved one, without refused calls. At saturation it counts all that was
 * answered, because a backlog makes the achieved rate smaller. A capacity lies between the rate
 * that was carried and the lowest rate above it that failed, so its cost is an interval, too.
 *
 * @param failedPerSecond what a capacity is below; NaN if no higher rate failed
 * @param io of a million transactions; NaN if it is not known, or has no price
 * @param storagePerHour the price; NaN likewise
 * @param lacking the parts that have a price but are not known, and why
 */
public record Cost(
    String currency,
    Basis basis,
    long transactions,
    double perSecond,
    double failedPerSecond,
    double machinesPerHour,
    double io,
    double storagePerHour,
    List<String> lacking) {
  private static final double HOURS_PER_MONTH = 730;
  private static final double BYTES_PER_GB = 1e9;

  /** If one of these is exhausted, the target itself carries no more. */
  private static final Set<Resource> OF_THE_TARGET =
      Set.copyOf(EnumSet.range(Resource.PROCESSOR, Resource.PLAN));

  /** At which rate the target was; in summary.json in lower case. */
  enum Basis {
    CAPACITY("at capacity"),
    SATURATION("at saturation"),
    OFFERED("at this offered rate"),
    WORKERS("at the rate of these workers");

    private final String words;

    Basis(String words) {
      this.words = words;
    }
  }

  /** Null if the target has no prices, or no transaction was answered. */
  public static Cost of(Evaluation run) {
    JsonObject price = Json.object(run.bundle().run(), "price");
    if (price.isEmpty()) {
      return null;
    }
    MachineUse use = MachineUse.of(run);
    Counts counts = run.ledgers().ofSegments(Segments.names(use.segments()));
    Basis basis = basis(run, use);
    long answered = basis == Basis.SATURATION ? counts.answeredWithin() : counts.achieved();
    long transactions = answered - counts.get(Counts.Field.REFUSED);
    double perSecond = transactions / Segments.seconds(use.segments());
    List<String> lacking = new ArrayList<>();
    Cost cost =
        new Cost(
            Json.text(price, "currency", ""),
            basis,
            transactions,
            perSecond,
            basis == Basis.CAPACITY ? perSecond * failed(Capacity.of(run)) : Double.NaN,
            Json.number(price, "per_hour", Double.NaN),
            io(run.bundle(), use, Json.number(price, "per_million_io", Double.NaN), lacking),
            storage(run.bundle(), Json.number(price, "per_gb_month", Double.NaN), lacking),
            lacking);
    boolean known = transactions > 0 && Double.isFinite(perSecond + cost.perMillion());
    return known ? cost : null;
  }

  private static Basis basis(Evaluation run, MachineUse use) {
    Capacity capacity = Capacity.of(run);
    if (capacity != null && capacity.step() != null && capacity.step().open()) {
      return Basis.CAPACITY;
    }
    boolean saturated =
        run.bundle().keepsData()
            && run.steps().stream()
                .filter(step -> use.segments().contains(step.segment()))
                .allMatch(step -> isSaturated(run, step));
    return saturated ? Basis.SATURATION : run.bundle().open() ? Basis.OFFERED : Basis.WORKERS;
  }

  private static boolean isSaturated(Evaluation run, Step step) {
    Resource resource = Bottleneck.of(run, step).resource();
    boolean keptUp = step.open() && Step.reached(step.counts());
    return !keptUp && resource != null && OF_THE_TARGET.contains(resource);
  }

  /** The lowest rate above the capacity that failed, over the capacity; NaN if none failed. */
  private static double failed(Capacity capacity) {
    double kept = capacity.step().offeredPerSecond();
    return capacity.completed().stream()
        .filter(step -> !step.passed() && step.offeredPerSecond() > kept)
        .mapToDouble(step -> step.offeredPerSecond() / kept)
        .min()
        .orElse(Double.NaN);
  }

  private static double io(Bundle bundle, MachineUse machines, double price, List<String> lacking) {
    ServerUse use = machines.servers();
    if (Double.isNaN(price)) {
      return Double.NaN;
    }
    if (bundle.sharesMachine()) {
      lacking.add("without I/O: client and server share a machine");
    } else if (use == null) {
      lacking.add("I/O unknown: no server machine is measured");
    } else if (!use.isWhole()) {
      String known = "I/O unknown: %d of %d server machines are measured";
      lacking.add(known.formatted(use.hosts(), use.expected()));
    } else if (Double.isNaN(use.ioPerOperation())) {
      lacking.add("I/O unknown: the disks of the server machines are not measured");
    }
    return lacking.isEmpty() ? use.ioPerOperation() * price : Double.NaN;
  }

  /** Of the bytes that the server reported after the run. */
  private static double storage(Bundle bundle, double price, List<String> lacking) {
    JsonObject storage = Json.object(bundle.evidence(), "storage", "after");
    JsonObject indexes = Json.object(storage, "index_bytes");
    double bytes = Json.number(storage, "table_bytes", -1);
    for (String index : indexes.keySet()) {
      double more = Json.number(indexes, index, -1);
      bytes = bytes < 0 || more < 0 ? -1 : bytes + more;
    }
    if (bytes < 0 && !Double.isNaN(price)) {
      lacking.add("storage unknown: the server did not report its size");
    }
    return bytes < 0 ? Double.NaN : bytes / BYTES_PER_GB * price / HOURS_PER_MONTH;
  }

  /**
   * The same at a capacity that a search found.
   *
   * @param failed the rate that failed, as a multiple of this rate; NaN if none did
   */
  public Cost atCapacity(double failed) {
    return new Cost(
        currency,
        Basis.CAPACITY,
        transactions,
        perSecond,
        perSecond * failed,
        machinesPerHour,
        io,
        storagePerHour,
        lacking);
  }

  /** Of a million transactions; of a capacity the upper end. */
  public double perMillion() {
    return perMillion(perSecond);
  }

  private double perMillion(double rate) {
    double storage = Double.isNaN(storagePerHour) ? 0 : storagePerHour;
    return perMillion(machinesPerHour + storage, rate) + (Double.isNaN(io) ? 0 : io);
  }

  private static double perMillion(double perHour, double rate) {
    return perHour / (3600 * rate) * 1e6;
  }

  /** Of a million transactions of runs together; NaN if a run has no cost. */
  public static double perMillion(List<Cost> runs) {
    double cost = 0;
    double transactions = 0;
    for (Cost run : runs) {
      cost += run == null ? Double.NaN : run.perMillion() * run.transactions;
      transactions += run == null ? 0 : run.transactions;
    }
    return cost / transactions;
  }

  /** Costs with other terms do not compare. */
  public String terms() {
    return currency + " per million transactions " + basis.words + lackingText();
  }

  private String lackingText() {
    return lacking.isEmpty() ? "" : "; " + String.join("; ", lacking);
  }

  /** Three significant digits. */
  public static String show(double amount) {
    return new BigDecimal(amount).round(new MathContext(3)).toPlainString();
  }

  private String amount() {
    String most = show(perMillion());
    if (basis != Basis.CAPACITY) {
      return most;
    }
    return Double.isNaN(failedPerSecond)
        ? "at most " + most
        : show(perMillion(failedPerSecond)) + " to " + most;
  }

  private String rates() {
    String rate = Answer.rate(perSecond);
    if (basis != Basis.CAPACITY) {
      return rate;
    }
    return Double.isNaN(failedPerSecond)
        ? "at least " + rate
        : rate.replace("/s", "") + " to " + Answer.rate(failedPerSecond);
  }

  /** Where it holds, its parts, and what it lacks. */
  private String detail() {
    String parts = part("I/O", io) + part("storage", perMillion(storagePerHour, perSecond));
    String machines = part("machines", perMillion(machinesPerHour, perSecond)).replace(',', ';');
    String shown = parts.isEmpty() ? "" : machines + parts;
    return "%s (%s)%s%s".formatted(basis.words, rates(), shown, lackingText());
  }

  /** With the decimals of the sum. */
  private String part(String name, double value) {
    int decimals = Math.max(0, new BigDecimal(show(perMillion())).scale());
    return Double.isNaN(value)
        ? ""
        : String.format(Locale.ROOT, ", %s %." + decimals + "f", name, value);
  }

  /** For people. */
  public String sentence() {
    return "%s %s per million transactions %s".formatted(amount(), currency, detail());
  }

  /** As in summary.json. */
  public static JsonElement toJson(Cost cost) {
    if (cost == null) {
      return JsonNull.INSTANCE;
    }
    JsonObject json = new JsonObject();
    json.addProperty("currency", cost.currency);
    json.addProperty("basis", cost.basis.name().toLowerCase(Locale.ROOT));
    json.add("per_second", Json.rounded(cost.perSecond));
    json.add("per_million", Json.finite(cost.perMillion()));
    json.add("least_per_million", Json.finite(cost.perMillion(cost.failedPerSecond)));
    json.add("machines", Json.finite(perMillion(cost.machinesPerHour, cost.perSecond)));
    json.add("io", Json.finite(cost.io));
    json.add("storage", Json.finite(perMillion(cost.storagePerHour, cost.perSecond)));
    json.add("lacking", Json.strings(cost.lacking));
    json.addProperty("amount", cost.amount());
    json.addProperty("detail", cost.detail());
    return json;
  }
}
