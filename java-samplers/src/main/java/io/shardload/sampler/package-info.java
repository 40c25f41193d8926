/**
 * JMeter's view of a generator: translates the parameters of the Java Request to a configuration,
 * and slices to samples. May import org.apache.jmeter; contains no SQL and no BSON.
 */
package io.shardload.sampler;
