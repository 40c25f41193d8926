package io.shardload.workload.statements;

import io.shardload.config.ConfigException;
import java.util.List;
import java.util.Map;

/**
 * Chooses the system whose statements a server gets.
 *
 * @param folder its name, for messages
 * @param systems the possible systems of the target, by name
 * @param definitions of the checks; all that belong to the system are run
 * @param used transactions of the run
 */
record SystemChoice(
    String folder, Map<String, SystemPlans> systems, Definitions definitions, List<String> used) {

  /**
   * The statements of a server's system.
   *
   * @throws ConfigException a statement that the run needs is missing
   */
  SystemPlans of(String system) {
    SystemPlans plans = nearest(system);
    for (String name : used) {
      if (!plans.transactions().containsKey(name)) {
        throw noTransaction(name, system);
      }
    }
    definitions
        .checks()
        .forEach(
            (name, check) -> {
              if (check.isOf(plans.system()) && !plans.checks().containsKey(name)) {
                throw missing(SystemPlans.CHECKS, name, system);
              }
            });
    return plans;
  }

  /** A target of another system uses the statements of any system. */
  SystemPlans nearest(String system) {
    return systems.containsKey(system)
        ? systems.get(system)
        : systems.values().stream()
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
