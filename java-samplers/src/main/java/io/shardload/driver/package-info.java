/**
 * What a database driver provides: a target with ports for the workloads and a place for the data
 * set's own record. Drivers are found with ServiceLoader and do not know each other.
 */
package io.shardload.driver;
