package io.shardload.workload;

/** The call of a transaction that could not be prepared: it fails when it is due. */
public record Unprepared<P>(CallFailure reason) implements Call<P> {
  @Override
  public void run(P port, Phases phases) throws CallFailure {
    throw reason;
  }

  @Override
  public Outcome finish(CallFailure failure, boolean unknownBefore) {
    return new Outcome.Failed(reason.kind());
  }

  @Override
  public void abandon() {}

  @Override
  public boolean asks() {
    return false;
  }
}
