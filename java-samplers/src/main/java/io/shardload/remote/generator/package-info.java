/**
 * A generator on a load host: how it exchanges messages with the controller through Redis, keeps
 * its lease, and translates between the clocks.
 */
package io.shardload.remote.generator;
