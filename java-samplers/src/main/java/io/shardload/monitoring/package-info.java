/**
 * What a server reports about itself under load, in terms that every driver shares: single
 * readings, and the hosts of a cluster with their roles. Drivers fill it; others show it.
 */
package io.shardload.monitoring;
