/**
 * The test stand of {@code calibrate}: a JVM with a JMeter engine inside that runs one side of a
 * comparison, repeatedly, on request of the controller's child.
 */
package io.shardload.sampler.bench;
