package io.shardload.driver;

import java.util.List;
import java.util.OptionalLong;

/**
 * A machine that a server runs on, as the server itself reports it; a container with its own limit
 * counts as a machine. Unknown values are empty or 0.
 *
 * @param host as the cluster names it; several nodes of it if they share the machine
 * @param holdsDocuments whether it holds documents
 * @param cpu model of the processor
 * @param cpus logical ones
 * @param ramBytes of the machine, or the container's limit where that is lower
 */
public record Machine(
    String host, boolean holdsDocuments, String cpu, int cpus, long ramBytes, String kernel) {

  /** RAM of all machines that hold documents; empty if that of one of them is not known. */
  public static OptionalLong ramBytes(List<Machine> machines) {
    List<Machine> holding = machines.stream().filter(Machine::holdsDocuments).toList();
    return holding.isEmpty() || holding.stream().anyMatch(machine -> machine.ramBytes() <= 0)
        ? OptionalLong.empty()
        : OptionalLong.of(holding.stream().mapToLong(Machine::ramBytes).sum());
  }
}
