/**
 * What a driver provides for the document store, in the workload's own terms: the calls that are
 * timed ({@link io.shardload.workload.documentstore.port.DocumentStore}), and beside them creating
 * and dropping, bulk loading, plans and sizes, scratch tables and the bare loop to compare with.
 * Drivers implement it; the transactions in the package above use it and know no driver.
 */
package io.shardload.workload.documentstore.port;
