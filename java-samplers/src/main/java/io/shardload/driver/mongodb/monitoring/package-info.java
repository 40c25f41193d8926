/**
 * What the servers of MongoDB, or a FerretDB, report of themselves.
 *
 * <p>The user needs the role {@code clusterMonitor} on {@code admin}: it includes {@code
 * serverStatus}, {@code replSetGetStatus}, {@code listShards}, {@code dbStats} of every database,
 * and reading {@code config} and {@code local.oplog.rs}. Users of a sharded cluster are kept on its
 * config servers: on its shards the same user, with the same password and role, has to be created
 * beside, or the shards' own metrics are left out. A command that is refused costs its part alone.
 *
 * <p>{@link io.shardload.driver.mongodb.monitoring.Commands} holds the commands, {@link
 * io.shardload.driver.mongodb.monitoring.StatusMetrics} the fields of {@code serverStatus} from
 * MongoDB 4.4 to 8.0.
 */
package io.shardload.driver.mongodb.monitoring;
