/** Reads the configuration key by key and refuses what it does not know. */
package io.shardload.config;
