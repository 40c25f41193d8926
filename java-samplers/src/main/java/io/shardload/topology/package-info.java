/** How a cluster is made up, and how documents and operations are spread over it. Knows nobody. */
package io.shardload.topology;
