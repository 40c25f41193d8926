package io.shardload.driver;

import java.util.Map;

/**
 * The server's information about itself.
 *
 * @param settings from an allow-list, never connection strings or secrets
 * @param changed settings that differ from the product's own default, also from an allow-list;
 *     empty if the server does not distinguish them
 * @param durability the failures that an acknowledged write survives, such as {@code fsync=on,
 *     synchronous_commit=on}
 * @param uniqueness which uniqueness the schema enforces
 */
public record ServerInfo(
    String name,
    String version,
    Map<String, String> settings,
    Map<String, String> changed,
    String durability,
    String uniqueness) {}
