/**
 * How connections to servers are encrypted, and which servers they trust: the same keys for all
 * drivers.
 */
package io.shardload.tls;
