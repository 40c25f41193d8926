/**
 * The histograms of a bundle: how they divide time, and reading them without the library's own
 * objects, each of which takes 170 KB. What the library writes is read, and the counts are the
 * library's to the last one; histograms of another division are left to it.
 */
package io.shardload.bundle.histogram;
