/** Files by which a store finds the endpoints of a run (Prometheus' {@code file_sd}). */
package io.shardload.exposition.discovery;
