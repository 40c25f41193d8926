/**
 * JMeter's view: translates parameters to a configuration and slices to samples. An importer of
 * org.apache.jmeter; holds no SQL and no BSON.
 */
package io.shardload.sampler;
