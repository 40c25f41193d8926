/**
 * The load model: when transactions are due, the workers that run them, the ledger that must close.
 * Time comes from an injected clock.
 */
package io.shardload.generator;
