/**
 * The verb {@code capacity}: draws what a search for the capacity found.
 *
 * <p>The search itself is the controller's: it makes ordinary runs, and decides from their
 * summaries which rate comes next. {@link io.shardload.capacity.LittlesLaw} adds to each run
 * whether its concurrency fits its rate and its times, and {@link
 * io.shardload.capacity.CapacityVerb} draws the page.
 */
package io.shardload.capacity;
