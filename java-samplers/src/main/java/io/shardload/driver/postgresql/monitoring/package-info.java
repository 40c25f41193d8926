/**
 * The metrics that the servers report about themselves under load, as readings. A read is one
 * read-only transaction on each server.
 *
 * <p>Least rights: a role with {@code CONNECT} on the database and {@code pg_monitor}. On Citus the
 * role and its password must be known on every node ({@code pg_dist_authinfo} or the password file
 * of the coordinator's server), and the part {@code citus-connections} needs {@code GRANT EXECUTE
 * ON FUNCTION citus_remote_connection_stats() TO} the role. A role without {@code pg_monitor} sees
 * no other user's session, so the parts about sessions are left out then.
 *
 * <p>Behind a pgbouncer in transaction mode the parts can be read, because a read is one
 * transaction. But then only one server answers, even if there are several behind the pgbouncer;
 * {@code server} is the pgbouncer's address, and the connections are the pgbouncer's, not its
 * clients'.
 */
package io.shardload.driver.postgresql.monitoring;
