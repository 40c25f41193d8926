/**
 * The pool of connections for transactions: filled before the first of them, spread evenly over the
 * hosts, and rid of connections only when these have ended.
 */
package io.shardload.driver.jdbc.client.pool;
