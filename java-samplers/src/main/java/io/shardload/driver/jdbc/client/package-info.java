/**
 * Connections by JDBC: the options that all drivers share, the pools, the spreading over hosts, and
 * which failure an error is.
 */
package io.shardload.driver.jdbc.client;
