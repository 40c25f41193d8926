/** How connections to servers are encrypted, and whom they trust: the same keys for all drivers. */
package io.shardload.tls;
