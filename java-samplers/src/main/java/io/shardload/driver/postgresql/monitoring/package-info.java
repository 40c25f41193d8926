/**
 * What the servers report of themselves while they are under load, as readings. A read is one
 * transaction on each server, and everything in it only looks.
 *
 * <p>Least rights: a role with {@code CONNECT} on the database and {@code pg_monitor}. On Citus the
 * role and its password have to be known on every node ({@code pg_dist_authinfo} or the password
 * file of the coordinator's server), and the part {@code citus-connections} needs {@code GRANT
 * EXECUTE ON FUNCTION citus_remote_connection_stats() TO} the role. A role without {@code
 * pg_monitor} sees no other user's session, so the parts about sessions are left out then.
 *
 * <p>Behind a pgbouncer in transaction mode the parts can be read, for a read is one transaction.
 * But it is one server then that answers, whatever stands behind the pgbouncer; {@code server} is
 * the pgbouncer's address, and connections are those of the pgbouncer, not those of its clients.
 */
package io.shardload.driver.postgresql.monitoring;
