/** The servers' side: what their machines did in some segments, and what the servers reported. */
package io.shardload.results.hosts;
