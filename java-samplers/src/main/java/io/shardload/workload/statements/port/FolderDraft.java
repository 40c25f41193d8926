package io.shardload.workload.statements.port;

import com.google.gson.JsonObject;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Progress;
import java.util.List;
import java.util.Map;

/** Describes existing tables as a workload folder, from which a user goes on. */
public interface FolderDraft {
  /**
   * A folder that is not written yet. It has no text of any row.
   *
   * @param workload the keys tables, parameters, transactions and mix of {@code workload.yml}
   * @param files texts of the other files by their names
   * @param edits what the folder cannot express, one line each; they are comments in the files too
   */
  record Draft(JsonObject workload, Map<String, String> files, List<String> edits) {}

  /**
   * Reads the catalog and a bounded sample of each table; it writes nothing.
   *
   * @throws io.shardload.config.ConfigException there is no table, or none may be read
   */
  Draft draft(Progress progress) throws CallFailure;
}
