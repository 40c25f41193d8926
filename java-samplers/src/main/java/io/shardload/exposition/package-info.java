/**
 * Metrics for Prometheus and VictoriaMetrics: the HTTP endpoint, and what generators and controller
 * serve there. The only importer of the Prometheus client.
 */
package io.shardload.exposition;
