/**
 * Metrics for Prometheus and VictoriaMetrics: the HTTP endpoint, the file by which a store finds
 * it, and what a generator serves there. The only importer of the Prometheus client.
 */
package io.shardload.exposition;
