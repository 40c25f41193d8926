package io.shardload.results;

import io.shardload.bundle.Bundle;
import io.shardload.bundle.hosts.Figure;
import io.shardload.bundle.hosts.HostMetrics;
import io.shardload.bundle.hosts.HostSeries;
import io.shardload.results.hosts.HostMeans;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What hosts.json means for the reader: a machine with nothing left to give, and what is missing.
 */
final class MachineFindings {
  /** Above this share a machine bounds what its server does. */
  private static final double FULL = 0.9;

  private static final int MISSING_SHOWN = 3;

  private MachineFindings() {}

  /** The machines of the servers that bound the run where its headline was measured. */
  static List<String> bounds(Evaluation run) {
    Bundle bundle = run.bundle();
    List<String> findings = new ArrayList<>();
    if (bundle.hosts() == null || !bundle.keepsData()) {
      return findings;
    }
    MachineUse use = MachineUse.of(run);
    String when = use.step() == null ? "" : " in " + use.step();
    String shared = bundle.sharesMachine() ? ", the generator's own use included" : "";
    String cpu = full(bundle.hosts(), use, Figure.CPU);
    if (!cpu.isEmpty()) {
      findings.add(
          String.format("what bounds it: the processors of %s in use%s%s", cpu, when, shared));
    }
    String disk = full(bundle.hosts(), use, Figure.DISK_BUSY);
    if (!disk.isEmpty()) {
      findings.add(
          String.format("what bounds it: the busiest disk of %s busy%s%s", disk, when, shared));
    }
    return findings;
  }

  /** The machines over the limit and how much, {@code db1 (shard) were 97 %}; empty if none is. */
  private static String full(HostMetrics metrics, MachineUse use, Figure figure) {
    HostMeans means = new HostMeans(metrics, use.segments());
    List<String> names = new ArrayList<>();
    double least = Double.POSITIVE_INFINITY;
    double most = 0;
    for (HostSeries host : metrics.servers()) {
      double mean = means.mean(host, figure);
      if (mean > FULL) {
        names.add(host.name());
        least = Math.min(least, mean);
        most = Math.max(most, mean);
      }
    }
    if (names.isEmpty()) {
      return "";
    }
    long from = Math.round(100 * least);
    long to = Math.round(100 * most);
    String percent = from == to ? to + " %" : from + " to " + to + " %";
    String were = figure == Figure.CPU ? " were " : " was ";
    return Findings.listed(names) + were + percent;
  }

  /** What is not known of the machines; nothing in a run without a database. */
  static List<String> missing(Bundle bundle) {
    List<String> missing =
        bundle.hosts() == null || !bundle.keepsData() ? List.of() : bundle.hosts().missing();
    List<String> findings = new ArrayList<>();
    missing.stream()
        .limit(MISSING_SHOWN)
        .forEach(sentence -> findings.add("not known of the machines: " + sentence));
    if (missing.size() > MISSING_SHOWN) {
      findings.add(
          String.format(
              Locale.ROOT,
              "not known of the machines: %d more, see missing in hosts.json",
              missing.size() - MISSING_SHOWN));
    }
    return findings;
  }
}
