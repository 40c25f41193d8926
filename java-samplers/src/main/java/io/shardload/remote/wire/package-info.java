/**
 * What generators and controller send each other through Redis: names of keys, messages and their
 * encoding, and the time limits that both sides rely on.
 */
package io.shardload.remote.wire;
