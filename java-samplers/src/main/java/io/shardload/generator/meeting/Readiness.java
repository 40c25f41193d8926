package io.shardload.generator.meeting;

/**
 * What all generators of a run must agree on, and where this one runs.
 *
 * @param scheduleHash of the plan that it is going to run
 * @param highWater mark at which the run begins
 * @param generation of the data set; -1 if the target keeps none
 * @param sharesMachine whether documents lie on the generator's machine
 */
public record Readiness(
    String scheduleHash, long highWater, long generation, boolean sharesMachine) {}
