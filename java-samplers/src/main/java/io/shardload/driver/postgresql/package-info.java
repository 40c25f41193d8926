/**
 * The driver {@code postgresql}: PostgreSQL and servers that speak its protocol, through pgjdbc, of
 * which it is the only importer. What SQL drivers share is in {@code driver.jdbc}.
 *
 * <p>Packages, each of which uses only those before it: {@code tls}, {@code client}, {@code
 * schema}, {@code store}, {@code facts}, then {@code statements} and {@code monitoring}, which do
 * not use each other. {@code monitoring} does not use {@code store}.
 *
 * <p>Boundaries of the phases:
 *
 * <ul>
 *   <li>connect: until a connection is available. With a pool, this is the pool's hand-over (with a
 *       round trip when the connection was idle for over 500 ms, because the pool then checks
 *       whether it is alive). With {@code connections: per-transaction}, it is TCP connection,
 *       encryption, login and the settings that pgjdbc makes.
 *   <li>search: until {@code executeQuery} or {@code executeUpdate} has returned. With {@code
 *       fetch-size: 0}, the default, pgjdbc has then read all rows from the socket, so search holds
 *       the transfer of the result as well. With a fetch size it has read that many rows.
 *   <li>fetch: decoding the rows; with a fetch size also the round trips for further rows and the
 *       commit, since cursors live in transactions. Writes have no fetch: they are autocommitted,
 *       and search ends with the acknowledgement.
 * </ul>
 *
 * <p>Statements are {@code prepared} (parsed by the server once per connection, from the first use
 * on) or {@code simple} (one Query message with the values in its text).
 *
 * <p>Each of the driver's own errors has a kind that does not depend on the server's language:
 * {@link io.shardload.driver.postgresql.client.Failures}.
 */
package io.shardload.driver.postgresql;
