/** Runs side by side. */
package io.shardload.compare;
