package io.shardload.driver;

import java.util.Map;

/**
 * What the server tells of itself.
 *
 * @param settings from an allow-list, never connection strings or secrets
 * @param changed those that somebody set to another value than the product's own default, from an
 *     allow-list as well; empty where the server does not tell them apart
 * @param durability what an acknowledged write survives, such as {@code fsync=on,
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
