/**
 * Runs the scripts of a page once, without a browser: what they draw becomes markup.
 *
 * <p>The only importer of Rhino. {@link io.shardload.report.staticpage.Drawing} runs the scripts
 * over a minimal document ({@code report/static.js}), and writes what they drew as HTML.
 *
 * <p>The scripts reach no Java class, no file and no network. They are the same scripts as in a
 * browser and draw the same page; {@code STATIC} in {@code report/base.js} marks where they leave
 * out controls.
 */
package io.shardload.report.staticpage;
