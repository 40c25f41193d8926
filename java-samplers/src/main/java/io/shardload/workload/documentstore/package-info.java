/**
 * The workload document-store: its content, its ten transactions and the ports that drivers
 * implement.
 */
package io.shardload.workload.documentstore;
