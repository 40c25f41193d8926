package io.shardload.generator;

import io.shardload.dataset.StateChunks;
import io.shardload.driver.Header;
import io.shardload.driver.Target;
import io.shardload.keys.Ownership;
import io.shardload.keys.State;
import io.shardload.keys.States;
import io.shardload.workload.CallFailure;
import io.shardload.workload.Model;
import java.util.Optional;

/** The states of a generator's ordinals when it begins. */
public final class OwnedStates {
  private OwnedStates() {}

  /** Whether a header in the target records which ordinals are used. */
  static boolean recorded(Target target, Model<?> model) {
    return target.keepsData() && model.keepsRecord();
  }

  /** The mark at which the run begins: no ordinal at or above it was ever used. */
  public static long highWater(Target target, Model<?> model) throws CallFailure {
    if (!model.keepsRecord()) {
      return model.documents();
    }
    Optional<Header> header = target.dataSets().header();
    return header.isPresent()
        ? StateChunks.highWater(target.dataSets(), header.get())
        : model.documents();
  }

  /** The states of the owned ordinals, by position. */
  public static States read(Target target, Model<?> model, Ownership ownership) throws CallFailure {
    if (!model.followsDocuments()) {
      return new States();
    }
    Optional<Header> header = target.dataSets().header();
    if (header.isPresent()) {
      return StateChunks.owned(target.dataSets(), header.get(), ownership);
    }
    States states = new States();
    long owned = ownership.ownedLoaded();
    states.grow(owned);
    for (long position = 0; position < owned; position++) {
      boolean isFollowed = ownership.ordinalAt(position) < model.followed();
      states.set(position, State.of(isFollowed ? State.LIVE : State.DELETED, 0));
    }
    return states;
  }
}
