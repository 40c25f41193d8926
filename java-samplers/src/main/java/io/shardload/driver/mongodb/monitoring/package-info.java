/**
 * The metrics that MongoDB servers, or a FerretDB, report about themselves.
 *
 * <p>The user needs the role {@code clusterMonitor} on {@code admin}: it includes {@code
 * serverStatus}, {@code replSetGetStatus}, {@code listShards}, {@code dbStats} of every database,
 * and reading {@code config} and {@code local.oplog.rs}. Users of a sharded cluster are kept on its
 * config servers: on its shards the same user, with the same password and role, must be created in
 * addition; otherwise the shards' own metrics are missing. A refused command affects only its own
 * part.
 */
package io.shardload.driver.mongodb.monitoring;
