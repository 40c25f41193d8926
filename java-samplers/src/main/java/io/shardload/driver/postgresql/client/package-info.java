/**
 * Connections to the server: the address and the options of the target, the pools, the spreading
 * over hosts, the check of a first connection, and which failure an error is. This package is
 * independent of schemas and transactions.
 */
package io.shardload.driver.postgresql.client;
