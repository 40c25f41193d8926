/** Files of a bundle that come from load hosts, piece by piece. */
package io.shardload.bundle.collected;
