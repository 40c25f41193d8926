package io.shardload.workload.statements.port;

import java.util.List;
import java.util.Optional;

/**
 * A system that a folder may have files of statements for.
 *
 * @param name in names of files: {@code citus}
 * @param fallback the system whose files are used if it has none
 * @param rules of its SQL; empty if its statements are commands in JSON
 */
public record StatementSystem(String name, Optional<String> fallback, Optional<SqlRules> rules) {
  /** What provides systems: a driver. Found with {@link java.util.ServiceLoader}. */
  public interface Provider {
    /**
     * The systems whose statement files it uses, the most specific first; empty if it uses the
     * files of any system.
     */
    default List<StatementSystem> systems() {
      return List.of();
    }
  }

  /** The name of its files. */
  public String file() {
    return name + (rules.isPresent() ? ".sql" : ".json");
  }
}
