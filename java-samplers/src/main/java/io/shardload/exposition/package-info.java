/**
 * Metrics for Prometheus and VictoriaMetrics: the HTTP endpoint, and what generators and controller
 * serve there.
 */
package io.shardload.exposition;
