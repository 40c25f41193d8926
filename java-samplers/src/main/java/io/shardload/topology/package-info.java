/**
 * The structure of a cluster, and the distribution of documents and operations over it. Depends on
 * no other package.
 */
package io.shardload.topology;
