/**
 * The engines on load hosts: key material, and JMeter's remote interface with time limits.
 *
 * <p>The only package other than the sampler that imports JMeter. {@link
 * io.shardload.remote.engine.KeyStores} does without it.
 */
package io.shardload.remote.engine;
