/** The seconds of all generators of a run become one stream of seconds. */
package io.shardload.remote.merge;
