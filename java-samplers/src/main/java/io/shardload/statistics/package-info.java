/** What can be said from a few measurements, and how surely. Knows nothing of what was measured. */
package io.shardload.statistics;
