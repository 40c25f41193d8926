/**
 * The properties in which runs must be alike for their figures to be comparable. {@code compare}
 * says where sides differ; {@code history} takes as its base only runs that do not.
 */
package io.shardload.compare.aspects;
