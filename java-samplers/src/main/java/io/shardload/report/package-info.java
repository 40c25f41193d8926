/**
 * Shows the results of a run: {@code report.html} and the closing lines on the console.
 *
 * <p>{@link io.shardload.report.FinishVerb} takes results from {@link io.shardload.results} and
 * writes the files, {@link io.shardload.report.Page} draws the report and {@link
 * io.shardload.report.OfflinePage} makes one HTML file of it, {@link
 * io.shardload.report.StaticPage} one without scripts. {@link io.shardload.report.JunitXml} is the
 * run as test results. Nothing is judged here.
 *
 * <p>A small script inside the page draws the charts as SVG: they follow the reader's light or dark
 * theme, print sharply and need no third-party code in the page.
 */
package io.shardload.report;
