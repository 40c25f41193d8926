/** The client of a time series store: Prometheus, VictoriaMetrics, and what has their query API. */
package io.shardload.timeseries.client;
