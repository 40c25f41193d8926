package io.shardload.workload.statements;

import io.shardload.config.ConfigException;
import io.shardload.workload.statements.definition.SystemPlans;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Chooses the system whose statements a server gets.
 *
 * @param folder its name, for messages
 * @param systems the possible systems of the target, by name
 * @param checks names of all checks; all are run
 * @param used transactions of the run
 */
record SystemChoice(
    String folder, Map<String, SystemPlans> systems, Collection<String> checks, List<String> used) {

  /**
   * The statements of a server's system.
   *
   * @throws ConfigException a statement that the run needs is missing
   */
  SystemPlans of(String system) {
    SystemPlans plans = systems.containsKey(system) ? systems.get(system) : anyWithAll();
    for (String name : used) {
      if (!plans.transactions().containsKey(name)) {
        throw noTransaction(name, system);
      }
    }
    for (String name : checks) {
      if (!plans.checks().containsKey(name)) {
        throw missing(SystemPlans.CHECKS, name, system);
      }
    }
    return plans;
  }

  /** A target of another system uses the statements of any system. */
  private SystemPlans anyWithAll() {
    return systems.values().stream()
        .filter(plans -> plans.transactions().keySet().containsAll(used))
        .findFirst()
        .orElse(systems.values().iterator().next());
  }

  ConfigException noTransaction(String name, String system) {
    return missing(SystemPlans.TRANSACTIONS, name, system);
  }

  private ConfigException missing(String kind, String name, String system) {
    return new ConfigException(
        "", "%s/%s/%s has no statement for %s".formatted(folder, kind, name, system));
  }
}
