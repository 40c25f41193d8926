/**
 * From a run bundle to {@code summary.json} and {@code report.html}.
 *
 * <p>{@link io.shardload.report.BundleReader} reads the files, {@link io.shardload.report.Ledgers}
 * adds the counters and checks the equations, {@link io.shardload.report.Distributions} adds the
 * histograms, {@link io.shardload.report.Steps} judges rates, {@link io.shardload.report.Verdict}
 * decides the exit code, {@link io.shardload.report.Summary} writes it all down and {@link
 * io.shardload.report.Page} draws it. Generators are added, never averaged.
 *
 * <p>Charts are SVG made by a small script of our own inside the page: they follow the reader's
 * light or dark theme, print sharply and need no third party's code in the page.
 */
package io.shardload.report;
