/**
 * A library for drivers of SQL databases with a JDBC client: it runs and checks statements from
 * files, holds pools, records data sets and says which failure an error is. It knows no driver and
 * no system: what a system has of its own, its driver gives.
 *
 * <p>Boundaries of the phases:
 *
 * <ul>
 *   <li>connect: until a connection is available. With a pool, this is the pool's hand-over. With
 *       {@code connections: per-transaction}, it is TCP connection, encryption, login and the
 *       settings that the client makes.
 *   <li>search: until the statement has returned: its first row, or the acknowledgement. Without a
 *       fetch size the client may have read all rows by then.
 *   <li>fetch: decoding the rows; with a fetch size also the round trips for further rows and the
 *       commit.
 * </ul>
 */
package io.shardload.driver.jdbc;
