/** What the machines did in some segments of a run: means from {@code hosts.json}. */
package io.shardload.results.hosts;
