package io.shardload.hosts;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.GeneratorLog;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.bundle.json.Json;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What the generators of a run sampled on their own machines. Several generators on one machine,
 * also in containers of it, are one entry, from the one with the most samples: they read the same
 * counters of processors and disks.
 */
public final class LocalHosts {
  private static final int MOST_INTERVALS = 3600;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int MOST_GAPS_IN_WORDS = 3;

  /** The role of the server where the target has only one and does not say. */
  private static final String PRIMARY = "primary";

  /** The role where the target lists several, and it is not known which of them runs here. */
  private static final String SERVER = "server";

  /**
   * One generator's samples of its machine, in order of time.
   *
   * @param machine the same for all generators of a machine
   * @param hosts its names; several if containers have their own addresses
   * @param here whether one of its generators runs on the controller's machine
   */
  private record Sampled(
      String machine,
      Set<String> hosts,
      boolean here,
      boolean server,
      List<HostSample> samples,
      Set<String> missing) {
    String host() {
      return String.join(", ", hosts);
    }
  }

  private final Bundle bundle;
  private final List<String> missing = new ArrayList<>();
  private double endSeconds;

  private LocalHosts(Bundle bundle) {
    this.bundle = bundle;
  }

  /** Reads the ledgers of all generators. */
  public static HostMetrics read(Bundle bundle) {
    return new LocalHosts(bundle).read();
  }

  private HostMetrics read() {
    Map<String, Sampled> machines = new LinkedHashMap<>();
    boolean[] reported = new boolean[bundle.expectedGenerators()];
    for (GeneratorLog log : bundle.generators()) {
      endSeconds = Math.max(endSeconds, log.endNanos() / NANOS_PER_SECOND);
      Sampled sampled = sampled(log);
      if (!sampled.samples().isEmpty() || !sampled.missing().isEmpty()) {
        if (log.generator() < reported.length) {
          reported[log.generator()] = true;
        }
        machines.merge(sampled.machine(), sampled, LocalHosts::more);
      }
    }
    double step = stepSeconds(machines);
    int intervals = (int) Math.ceil(endSeconds / step);
    List<HostSeries> hosts = new ArrayList<>();
    for (Sampled machine : machines.values()) {
      HostSeries series = series(machine, step, intervals);
      if (!series.values().isEmpty()) {
        hosts.add(series);
      }
    }
    for (int generator = 0; generator < reported.length; generator++) {
      if (!reported[generator]) {
        missing.add(bundle.name(generator) + " reported no sample of its machine");
      }
    }
    return new HostMetrics(HostMetrics.LOCAL, "", step, hosts, missing);
  }

  private static Sampled more(Sampled left, Sampled right) {
    Sampled most = right.samples().size() > left.samples().size() ? right : left;
    Set<String> hosts = new LinkedHashSet<>(left.hosts());
    hosts.addAll(right.hosts());
    boolean here = left.here() || right.here();
    boolean server = left.server() || right.server();
    return new Sampled(most.machine(), hosts, here, server, most.samples(), most.missing());
  }

  private Sampled sampled(GeneratorLog log) {
    List<HostSample> samples = new ArrayList<>();
    Set<String> unknown = new LinkedHashSet<>();
    JsonObject first = new JsonObject();
    log.forEachJson(
        line -> {
          for (String key : List.of(MachineSampler.AT_START, MachineSampler.AT_END)) {
            JsonObject json = Json.object(line, key);
            HostSample sample = HostSample.read(json);
            if (sample != null && isNext(samples, sample)) {
              samples.add(sample);
            }
            for (JsonElement one : Json.array(json, "missing")) {
              unknown.add(one.getAsString());
            }
            if (first.size() == 0) {
              json.entrySet().forEach(field -> first.add(field.getKey(), field.getValue()));
            }
          }
        });
    String written = withoutPort(bundle.host(log.generator()));
    String host = written.isEmpty() ? Json.text(first, "name", "") : written;
    String machine = Json.text(first, "boot_id", host);
    boolean server = bundle.keepsData() && bundle.sharesMachine(log.generator());
    return new Sampled(machine, Set.of(host), written.isEmpty(), server, samples, unknown);
  }

  private static boolean isNext(List<HostSample> samples, HostSample sample) {
    return samples.isEmpty() || sample.seconds() > samples.get(samples.size() - 1).seconds();
  }

  private static String withoutPort(String host) {
    int colon = host.lastIndexOf(':');
    return colon < 0 ? host : host.substring(0, colon);
  }

  /** Whole seconds: as many as lie between two samples, and more if these are too many. */
  private double stepSeconds(Map<String, Sampled> machines) {
    long step = (long) Math.ceil(endSeconds / MOST_INTERVALS);
    for (Sampled machine : machines.values()) {
      step = Math.max(step, Math.round(HostRates.usualDistance(machine.samples())));
    }
    return Math.max(1, step);
  }

  private HostSeries series(Sampled machine, double step, int intervals) {
    HostRates rates = new HostRates(step, intervals);
    machine.samples().forEach(rates::add);
    machine.missing().forEach(one -> missing.add(machine.host() + ": " + one));
    Map<Figure, double[]> values = rates.values();
    if (machine.hosts().size() > 1) {
      values.keySet().removeAll(List.of(Figure.RECEIVED_BYTES, Figure.SENT_BYTES));
      missing.add(
          machine.host()
              + ": the network traffic is not known, because each of these addresses of the machine"
              + " has its own devices");
    }
    List<HostRates.Gap> gaps = machine.samples().isEmpty() ? List.of() : rates.gaps();
    gaps.stream().limit(MOST_GAPS_IN_WORDS).forEach(gap -> missing.add(gap(machine, gap)));
    if (gaps.size() > MOST_GAPS_IN_WORDS) {
      int others = gaps.size() - MOST_GAPS_IN_WORDS;
      missing.add("%s: %d more gaps without samples".formatted(machine.host(), others));
    }
    int cores = machine.samples().stream().mapToInt(HostSample::cores).max().orElse(0);
    return new HostSeries(machine.host(), role(machine), machine.server(), cores, values);
  }

  private static String gap(Sampled machine, HostRates.Gap gap) {
    return String.format(
        Locale.ROOT, "%s: no samples from %.0f s to %.0f s", machine.host(), gap.from(), gap.to());
  }

  private String role(Sampled machine) {
    if (!machine.server()) {
      return HostSeries.GENERATOR;
    }
    Set<String> roles = new LinkedHashSet<>();
    for (JsonElement listed : Json.array(bundle.run(), "server_hosts")) {
      JsonObject host = listed.getAsJsonObject();
      String role = Json.text(host, "role", PRIMARY);
      String name = Json.text(host, "host", "");
      if (machine.hosts().contains(name) || (machine.here() && LocalAddresses.contain(name))) {
        return role;
      }
      roles.add(role);
    }
    return switch (roles.size()) {
      case 0 -> PRIMARY;
      case 1 -> roles.iterator().next();
      default -> SERVER;
    };
  }

  /** The addresses under which this machine reaches itself. Names are not resolved. */
  private static final class LocalAddresses {
    private static final Pattern LOOPBACK = Pattern.compile("localhost|127[.].*|::1");

    private LocalAddresses() {}

    /** Whether a loopback name, or an address of this machine. */
    static boolean contain(String host) {
      String plain = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
      return LOOPBACK.matcher(plain).matches() || isOfAnInterface(plain);
    }

    private static boolean isOfAnInterface(String address) {
      try {
        return NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .map(InetAddress::getHostAddress)
            .anyMatch(address::equals);
      } catch (SocketException e) {
        return false;
      }
    }
  }
}
