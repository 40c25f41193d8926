/**
 * When which transaction is due: a pure function of the configuration and the seed.
 *
 * <p>{@link io.shardload.generator.schedule.LoadConfig} and {@link
 * io.shardload.generator.schedule.Mix} are the sections {@code load} and {@code mix} of the
 * configuration. {@link io.shardload.generator.schedule.Schedule} gives the arrivals, {@link
 * io.shardload.generator.schedule.Plan} the transaction of each, and {@link
 * io.shardload.generator.schedule.DueCounter} counts them as they become due, and {@link
 * io.shardload.generator.schedule.PlanSums} counts a plan without going through it. Nothing here
 * reads a clock, starts a thread or knows a database.
 */
package io.shardload.generator.schedule;
