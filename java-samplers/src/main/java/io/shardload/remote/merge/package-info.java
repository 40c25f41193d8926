/**
 * The seconds of all generators of a run become one stream of seconds, during the run and after it.
 */
package io.shardload.remote.merge;
