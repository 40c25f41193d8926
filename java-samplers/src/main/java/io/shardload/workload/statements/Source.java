package io.shardload.workload.statements;

import com.google.gson.JsonObject;
import io.shardload.workload.statements.data.Fingerprint;
import io.shardload.workload.statements.definition.SystemPlans;
import io.shardload.workload.statements.folder.Folder;
import java.util.Collection;

/**
 * The source of a model.
 *
 * @param parameters section {@code workload.parameters}
 * @param tables section {@code workload.data.tables}
 * @param mayWrite whether the run may write to existing data of the user
 */
record Source(
    long seed, Folder folder, JsonObject parameters, JsonObject tables, boolean mayWrite) {
  /** Fingerprint of everything that determines the tables and their rows. */
  String fingerprint(Collection<SystemPlans> systems) {
    Fingerprint data = new Fingerprint().add(tables.toString());
    systems.forEach(system -> data.add(system.schema()));
    return data.addFiles(folder.path(), tables).hex();
  }
}
