/** Brings what load hosts kept of a run into its bundle, after the run. */
package io.shardload.remote.collect;
