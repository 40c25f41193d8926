/**
 * The verb {@code capacity}: draws what a search for the capacity found.
 *
 * <p>The controller does the search: it makes ordinary runs and chooses the next rate from their
 * summaries. {@link io.shardload.capacity.CapacityVerb.LittlesLaw} adds to each run whether its
 * concurrency fits its rate and its times, and {@link io.shardload.capacity.CapacityVerb} draws the
 * page.
 */
package io.shardload.capacity;
