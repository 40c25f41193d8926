package io.shardload.monitoring;

import java.util.Locale;

/** What a server does in its cluster; the words are the roles of the key {@code target.hosts}. */
public enum Role {
  /** A mongos. */
  ROUTER,
  /** A config server of a sharded MongoDB cluster. */
  CONFIG,
  /** A member of a shard. */
  SHARD,
  /** The coordinator of a Citus cluster. */
  COORDINATOR,
  /** A worker of a Citus cluster. */
  WORKER,
  /** The one that accepts writes. */
  PRIMARY,
  /** One that follows a primary. */
  REPLICA;

  /** As used in files and labels. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
