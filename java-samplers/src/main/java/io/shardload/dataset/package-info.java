/**
 * The data set that outlives a run: its header, its documents and the states of its ordinals.
 *
 * <p>{@link io.shardload.dataset.DataSet} creates the schema, loads what is missing, and marks the
 * data set dirty before a run's first write; it refuses documents that shardload did not load,
 * another shape, and a data set that a run left dirty. {@link io.shardload.dataset.StateChunks}
 * keeps the state of each ordinal next to the data, one generation per settled run.
 */
package io.shardload.dataset;
