/**
 * What a driver provides for the document store, in the workload's own terms: the calls that are
 * timed ({@link io.shardload.workload.documentstore.port.DocumentStore}), and in addition creating
 * and dropping, bulk loading, plans and sizes, scratch tables and the bare loop for comparison.
 * Drivers implement it; the transactions in the parent package use it and depend on no driver.
 */
package io.shardload.workload.documentstore.port;
