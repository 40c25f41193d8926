/**
 * The process that stays on a load host: it keeps one engine process running, for one run each.
 *
 * <p>The engine reports on its standard output when a run begins, that it is alive, and when the
 * run has ended. What hangs is killed by its process id.
 */
package io.shardload.remote.supervisor;
