package io.shardload.driver;

import java.util.Map;

/**
 * What the server tells of itself.
 *
 * @param settings from an allow-list, never connection strings or secrets
 * @param durability what an acknowledged write survives, such as {@code fsync=on,
 *     synchronous_commit=on}
 * @param uniqueness which uniqueness the schema enforces
 */
public record ServerInfo(
    String name,
    String version,
    Map<String, String> settings,
    String durability,
    String uniqueness) {}
