/**
 * One generator of load: the workers that run the arrivals of {@link
 * io.shardload.generator.schedule}, the ledger that must close, and what surrounds them in their
 * process. Time comes from an injected clock.
 */
package io.shardload.generator;
