package io.shardload.sampler;

import io.shardload.workload.Outcome;

/** An outcome in the fields of a JMeter sample. */
record OutcomeView(boolean successful, String code, String message) {
  static OutcomeView of(Outcome outcome) {
    if (outcome instanceof Outcome.Done done) {
      return new OutcomeView(true, "done", done.rows() + " rows" + (done.stale() ? ", stale" : ""));
    }
    if (outcome instanceof Outcome.Missing missing) {
      return new OutcomeView(true, "missing", missing.stale() ? "stale" : "nothing found");
    }
    if (outcome instanceof Outcome.Failed failed) {
      return new OutcomeView(false, "failed", failed.kind());
    }
    return new OutcomeView(false, "unknown", ((Outcome.Unknown) outcome).kind());
  }
}
