/**
 * The histograms of a bundle: how they divide time, and reading them without the library's own
 * objects, each of which takes 170 KB. What the library writes in the same resolution can be read,
 * with exactly the same counts.
 */
package io.shardload.bundle.histogram;
