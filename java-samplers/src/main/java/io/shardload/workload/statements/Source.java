package io.shardload.workload.statements;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.shardload.workload.statements.definition.SystemPlans;
import io.shardload.workload.statements.folder.Folder;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * The source of a model.
 *
 * @param parameters section {@code workload.parameters}
 * @param tables section {@code workload.data.tables}
 * @param mayWrite whether the run may write to existing data of the user
 */
record Source(
    long seed, Folder folder, JsonObject parameters, JsonObject tables, boolean mayWrite) {
  /** Fingerprints of everything that determines the tables and their rows, by what they are of. */
  Map<String, String> fingerprints(Collection<SystemPlans> systems) {
    Map<String, String> all = new TreeMap<>();
    for (SystemPlans system : systems) {
      if (!system.schema().isEmpty()) {
        String file = system.schema().get(0).place().file();
        all.put(file, new Fingerprint().add(system.schema()).hex());
      }
    }
    int place = 0;
    for (Map.Entry<String, JsonElement> table : tables.entrySet()) {
      // The place counts: an interrupted load goes on after so many rows of all tables.
      Fingerprint rows = new Fingerprint().add(place++ + " " + table.getValue());
      all.put("table " + table.getKey(), rows.addFiles(folder.path(), table.getValue()).hex());
    }
    return all;
  }
}
