/**
 * What a database driver provides: a target with ports for the workloads and a store for the data
 * set's own record. Drivers are found with ServiceLoader and are independent of each other.
 */
package io.shardload.driver;
