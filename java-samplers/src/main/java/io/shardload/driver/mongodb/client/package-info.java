/**
 * Connections to the server: the address and the options of the target, TLS, the pools and what
 * they report, how a document is decoded, what kind of server answers, and which failure an error
 * is. This package is independent of schemas and transactions.
 */
package io.shardload.driver.mongodb.client;
