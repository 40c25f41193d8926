/**
 * The histograms of a bundle: how they divide time, and reading them without the library's own
 * objects, each of which takes 170 KB. Everything that the library writes can be read, with exactly
 * the same counts. The library reads histograms with another resolution.
 */
package io.shardload.bundle.histogram;
