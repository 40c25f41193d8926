package io.shardload.results;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.bundle.Bundle;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.bundle.json.Json;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The machines of the servers that have figures, and how many machines there are.
 *
 * <p>All machines are the hosts that the target lists or, without a list, the hosts that the
 * servers reported. If neither is known, the machines with figures count as all.
 *
 * @param metrics null without hosts.json
 * @param known the machines with figures
 * @param expected all machines, at least as many
 * @param shared a generator runs on one of them
 */
public record ServerMachines(
    HostMetrics metrics, List<HostSeries> known, int expected, boolean shared) {

  /** After a host name, an IPv4 address or one of IPv6 in brackets; alone in its group. */
  private static final Pattern PORT = Pattern.compile("(]|(?:^|,)[^:,\\[]+):\\d+(?=,|$)");

  private static final Pattern LOOPBACK = Pattern.compile("localhost|127[.].*|\\[?::1]?");

  /** A host that the target lists, with the port of its exporter. */
  private record Listed(String host, long port) {
    static Listed of(JsonObject json) {
      return new Listed(Json.text(json, "host", ""), Json.integer(json, "port", 0));
    }

    boolean isIn(Set<String> names) {
      // With several exporters behind one address the store has names with the port.
      return names.contains(host) || names.contains(host + ":" + port);
    }
  }

  public ServerMachines {
    known = List.copyOf(known);
  }

  public static ServerMachines of(Bundle bundle) {
    HostMetrics metrics = bundle.hosts();
    List<HostSeries> known = metrics == null ? List.of() : metrics.servers();
    int expected = known.size() + (known.isEmpty() ? 0 : missing(bundle, known));
    return new ServerMachines(metrics, known, expected, bundle.sharesMachine());
  }

  private static int missing(Bundle bundle, List<HostSeries> known) {
    Set<Listed> listed =
        Json.array(bundle.run(), "server_hosts").asList().stream()
            .filter(JsonElement::isJsonObject)
            .map(each -> Listed.of(each.getAsJsonObject()))
            .collect(Collectors.toSet());
    if (listed.isEmpty()) {
      return Math.max(0, reported(bundle) - known.size());
    }
    Set<String> names = new TreeSet<>();
    known.forEach(host -> names.addAll(names(host)));
    List<Listed> absent = listed.stream().filter(each -> !each.isIn(names)).toList();
    if (!bundle.hosts().source().equals(HostMetrics.LOCAL)) {
      return absent.size();
    }
    // A local generator's machine has its own name, whatever the target calls it.
    long machines = absent.stream().map(each -> machine(each.host())).distinct().count();
    long unnamed =
        known.stream()
            .filter(host -> listed.stream().noneMatch(each -> each.isIn(names(host))))
            .count();
    boolean here = absent.stream().anyMatch(each -> isLoopback(each.host()));
    return (int) Math.max(0, machines - (here ? Math.max(1, unnamed) : unnamed));
  }

  private static Set<String> names(HostSeries host) {
    return Set.copyOf(Arrays.asList(host.host().split(", ", -1)));
  }

  private static String machine(String host) {
    return isLoopback(host) ? "localhost" : host;
  }

  private static boolean isLoopback(String host) {
    return LOOPBACK.matcher(host).matches();
  }

  /** How many machines the servers reported; 0 if none did. */
  private static int reported(Bundle bundle) {
    return (int)
        Json.array(Json.object(bundle.environment(), "server"), "machines").asList().stream()
            .filter(JsonElement::isJsonObject)
            // Where the machine's name is not known, the addresses of a server or shard stand.
            .map(
                each ->
                    PORT.matcher(Json.text(each.getAsJsonObject(), "host", "")).replaceAll("$1"))
            .distinct()
            .count();
  }

  /** Whether the figures of all machines are known. */
  public boolean isWhole() {
    return known.size() >= expected;
  }
}
