/** How the generators of a run ended: by schedule, by order, early, or not at all. */
package io.shardload.results.ends;
