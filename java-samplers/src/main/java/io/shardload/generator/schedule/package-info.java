/**
 * When which transaction is due: a pure function of the configuration and the seed.
 *
 * <p>{@link io.shardload.generator.schedule.LoadConfig} and {@link
 * io.shardload.generator.schedule.Mix} are the sections {@code load} and {@code mix} of the
 * configuration. {@link io.shardload.generator.schedule.Schedule} gives the arrivals, and {@link
 * io.shardload.generator.schedule.Plan} gives the transaction of each arrival. {@link
 * io.shardload.generator.schedule.DueCounter} counts arrivals as they become due. {@link
 * io.shardload.generator.schedule.PlanSums} computes the same counts without making every arrival.
 * Nothing here reads a clock, starts a thread or knows a database.
 */
package io.shardload.generator.schedule;
